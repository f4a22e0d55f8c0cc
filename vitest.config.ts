import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Slow ones, and those that need more than Node and git, run in .ci/run: `npm run test:slow`, `test:redis`, `test:sudo`.
    exclude: [
      ...['test/fixtures/**', 'test/**/*.slow.test.ts', 'test/**/*.redis.test.ts', 'test/**/*.sudo.test.ts'],
    ],
    // A bound for what hangs, not a measure of speed: machines are shared, and some are slow.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Most tests wait for git and other processes: one worker per core, where the default leaves one idle.
    maxWorkers: '100%',
  },
})
