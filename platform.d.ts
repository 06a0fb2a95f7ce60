/** All that the compiler takes of the platform it runs on: `tsconfig.core.json` checks it without the types of browsers and of Node. */
declare const performance: { now(): number }
declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>
}
