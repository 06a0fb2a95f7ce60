import { fileURLToPath } from 'node:url'
import { defineConfig, type ViteUserConfig } from 'vitest/config'

const dist = (name: string): string => fileURLToPath(new URL(`../../dist/${name}.js`, import.meta.url))

/** Tests of the training core and the starters, in Node: `npx vitest run --config site/tests/vitest.config.ts` after `node tools/build.mjs`. */
const config: ViteUserConfig = defineConfig({
  resolve: {
    alias: [
      { find: /^cotangent$/, replacement: dist('index') },
      { find: /^cotangent\/(cpu|gpu)$/, replacement: dist('$1') },
    ],
  },
  test: { root: import.meta.dirname, include: ['*.test.ts'], testTimeout: 60_000, allowOnly: false },
})
export default config
