import { fileURLToPath } from 'node:url'
import { defineConfig, type ViteUserConfig } from 'vitest/config'

const dist = (name: string): string => fileURLToPath(new URL(`../dist/${name}.js`, import.meta.url))

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
    testTimeout: 60_000,
    hookTimeout: 60_000,
    allowOnly: false,
    // Times are measured.
    fileParallelism: false,
  },
})
export default config
