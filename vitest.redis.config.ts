import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Needs redis-server on the path; without it the tests fail.
    include: ['test/redis/**/*.redis.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
  },
})
