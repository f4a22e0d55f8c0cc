import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.slow.test.ts'],
    exclude: ['test/fixtures/**'],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // They start servers, runners and whole campaigns: one file at a time.
    maxWorkers: 1,
  },
})
