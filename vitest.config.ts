import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    globalSetup: ['tools/core-setup.mjs'],
    testTimeout: 60_000,
  },
})
