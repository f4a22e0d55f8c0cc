import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Needs root and sudo; without them the tests fail.
    include: ['test/sudo/**/*.sudo.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    maxWorkers: 1,
  },
})
