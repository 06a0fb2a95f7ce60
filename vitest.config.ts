import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    // They have a configuration of their own.
    exclude: ['**/node_modules/**', 'tests/{bundlers,projects,runtimes,types}/**'],
    globalSetup: ['tools/test-setup.mjs'],
    // As many as there are cores: by default, one of two would idle.
    maxWorkers: '100%',
    testTimeout: 60_000,
    // A golden that is missing fails; `npm test -- -u` writes it.
    update: 'none',
    allowOnly: false,
  },
})
