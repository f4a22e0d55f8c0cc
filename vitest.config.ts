import { defineConfig } from 'vitest/config'

const MINUTE = 60_000

// Names decide which project runs a file. `vitest run <file>` finds it; `--project` runs one project.
const SLOW = 'test/**/*.slow.test.ts'
const REDIS = 'test/redis/**/*.redis.test.ts'
const SUDO = 'test/sudo/**/*.sudo.test.ts'

export default defineConfig({
  test: {
    // A limit for tests that hang, not a measure of speed: machines are shared, and some are slow.
    testTimeout: 2 * MINUTE,
    hookTimeout: 2 * MINUTE,
    // Slow tests start servers, runners and whole campaigns: one file at a time.
    maxWorkers: 1,
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: ['test/fixtures/**', SLOW, REDIS, SUDO],
          // Most tests wait for git and other processes, so use every core; the default leaves one idle.
          maxWorkers: '100%',
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: [SLOW],
          exclude: ['test/fixtures/**'],
          testTimeout: 5 * MINUTE,
          sequence: { groupOrder: 1 },
        },
      },
      // Needs redis-server on the path and fails without it.
      { extends: true, test: { name: 'redis', include: [REDIS], sequence: { groupOrder: 2 } } },
      {
        extends: true,
        // Needs root and sudo and fails without them.
        test: { name: 'sudo', include: [SUDO], hookTimeout: 3 * MINUTE, sequence: { groupOrder: 3 } },
      },
      {
        extends: true,
        // Needs act, which is not on npm: `ACT_BIN=/path/to/act npm run test:act`.
        test: {
          name: 'act',
          include: ['test/parity/*.parity.ts'],
          testTimeout: 5 * MINUTE,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
})
