import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { defineConfig, type ViteUserConfig } from 'vitest/config'

const dist = (name: string): string => fileURLToPath(new URL(`../dist/${name}.js`, import.meta.url))

declare module 'vitest' {
  interface ProvidedContext {
    readonly update: boolean
  }
}

const files = (...names: readonly string[]): string[] => names.map(name => `tests/${name}.test.ts`)

/** Files that take longest: first and side by side, so that at the end nothing waits for one of them. */
const long = files('axe', 'pages')
/** Files that measure times, or wait only so long for a program: nothing runs beside them. */
const measured = files('isolated', 'playground', 'player', 'screens', 'starters', 'training')

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
    globalSetup: ['tests/setup.mjs'],
    // A busy machine with two cores takes its time. What must be fast is measured, not timed out.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    allowOnly: false,
    // Whether pictures are written anew.
    provide: { update: process.argv.some(argument => argument === '-u' || argument === '--update') },
    projects: [
      { extends: true, test: { name: 'long', include: long, maxWorkers: 2, sequence: { groupOrder: 0 } } },
      {
        extends: true,
        test: {
          name: 'site',
          include: ['tests/*.test.ts'],
          exclude: [...long, ...measured],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'measured', include: measured, fileParallelism: false, sequence: { groupOrder: 2 } },
      },
    ],
  },
})
export default config
