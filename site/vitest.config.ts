import { defineConfig, type ViteUserConfig } from 'vitest/config'

/** Tests of the site: `npm run test:site` in the repository. */
const config: ViteUserConfig = defineConfig({
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
