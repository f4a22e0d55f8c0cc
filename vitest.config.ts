import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Slow ones, and those that need more than Node and git, run in .ci/run: `npm run test:slow`, `npm run test:redis`.
    exclude: ['test/fixtures/**', 'test/**/*.slow.test.ts', 'test/**/*.redis.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Most tests wait for git and other processes: one worker per core, where the default leaves one idle.
    maxWorkers: '100%',
  },
})
