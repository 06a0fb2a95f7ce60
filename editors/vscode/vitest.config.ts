import { defineConfig, type ViteUserConfig } from 'vitest/config'

/** Tests of the extension: `npm run test:editor` in the repository. */
const config: ViteUserConfig = defineConfig({
  test: { root: import.meta.dirname, include: ['tests/*.test.ts'], testTimeout: 60_000, allowOnly: false },
})
export default config
