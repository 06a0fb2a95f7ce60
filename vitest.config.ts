import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    globalSetup: ['tools/test-setup.mjs'],
    testTimeout: 60_000,
  },
})
