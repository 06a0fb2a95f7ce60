import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { defineConfig, type ViteUserConfig } from 'vitest/config'

const dist = (name: string): string => fileURLToPath(new URL(`../dist/${name}.js`, import.meta.url))

declare module 'vitest' {
  interface ProvidedContext {
    readonly update: boolean
  }
}

/** Tests of the site: `npm run test:site` in the repository. */
const config: ViteUserConfig = defineConfig({
  resolve: {
    alias: [
      { find: /^cotangent$/, replacement: dist('index') },
      { find: /^cotangent\/(cpu|gpu)$/, replacement: dist('$1') },
    ],
  },
  test: {
    root: import.meta.dirname,
    include: ['tests/*.test.ts'],
    globalSetup: ['tests/setup.mjs'],
    // A busy machine with two cores takes its time. What must be fast is measured, not timed out.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    allowOnly: false,
    // Whether pictures are written anew.
    provide: { update: process.argv.some(argument => argument === '-u' || argument === '--update') },
    // Times are measured.
    fileParallelism: false,
  },
})
export default config
