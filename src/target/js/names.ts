/** Reserved names: words of JavaScript in modules, globals of the language, and names of the emitted modules' own. */
const reserved = new Set(
  `arguments async await break case catch class const continue debugger default delete do else enum eval export extends
false finally for function get if implements import in instanceof interface let new null of package private protected public return set
static super switch this throw true try typeof undefined var void while with yield NaN Infinity Math BigInt Number Array Object String
Boolean Symbol Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError Promise JSON Reflect Proxy Map Set WeakMap
WeakSet WeakRef FinalizationRegistry Function Date RegExp Intl Atomics Iterator WebAssembly DataView ArrayBuffer SharedArrayBuffer Int8Array
Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array Float64Array BigInt64Array BigUint64Array
isNaN isFinite parseInt parseFloat encodeURI encodeURIComponent decodeURI decodeURIComponent escape unescape console globalThis
constructor prototype __proto__ then groups buffers resources uniforms counts gx gy gz lx ly lz threads thread done value buffer byteOffset
byteLength bytes running tripsLeft depthLeft loopNow`.split(/\s+/),
)

/** True for a word that no declaration may take as its name. */
export function isReserved(name: string): boolean {
  return reserved.has(name)
}
