import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    globalSetup: ['tools/core-setup.mjs'],
    setupFiles: ['tests/setup.ts'],
    testTimeout: 60_000,
  },
})
