import { defineConfig, type ViteUserConfig } from 'vitest/config'

/** Tests of the projects in examples/ and of new ones: `npm run test:projects`. */
const config: ViteUserConfig = defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    maxConcurrency: 2,
  },
})
export default config
