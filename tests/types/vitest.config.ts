import { defineConfig, type ViteUserConfig } from 'vitest/config'

/** Tests of the packed package's declarations under several versions of TypeScript: `npm run test:types`. */
const config: ViteUserConfig = defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 300_000,
    // Each file packs the package, which builds it anew.
    fileParallelism: false,
  },
})
export default config
