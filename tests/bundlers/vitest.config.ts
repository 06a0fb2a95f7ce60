import { defineConfig, type ViteUserConfig } from 'vitest/config'

/** Tests of the packed package's plugin in each bundler: `npm run test:bundlers`. */
const config: ViteUserConfig = defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.test.ts'],
    globalSetup: ['setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
  },
})
export default config
