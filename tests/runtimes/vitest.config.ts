import { defineConfig, type ViteUserConfig } from 'vitest/config'

/** Tests of the packed package on other runtimes: `npm run test:runtimes`. */
const config: ViteUserConfig = defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
})
export default config
