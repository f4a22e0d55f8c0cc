import { defineConfig } from 'vitest/config'

const MINUTE = 60_000

// Names decide which project runs a file. `vitest run <file>` finds it; `--project` runs one project.
const SLOW = 'test/**/*.slow.test.ts'
// At level `user` a run ends by killing every process of the candidate's user, whoever started it.
const ALONE = [
  'test/attacks/{action,boundary-caches,through-hosts}.slow.test.ts',
  'test/e2e/action/secrets.slow.test.ts',
  'test/process/isolation/nothing-outlives.slow.test.ts',
]
const REDIS = 'test/redis/**/*.redis.test.ts'
const SUDO = 'test/sudo/**/*.sudo.test.ts'
// Fast tests that mostly start processes, git above all.
const PROCESSES = [
  'test/{git,pipeline,process}/**/*.test.ts',
  'test/guard/random-trees.test.ts',
  'test/contract/state-store.test.ts',
]
const NOT_FAST = ['test/fixtures/**', SLOW, REDIS, SUDO]

export default defineConfig({
  test: {
    // A limit for tests that hang, not a measure of speed: machines are shared, and some are slow.
    testTimeout: 2 * MINUTE,
    hookTimeout: 2 * MINUTE,
    maxWorkers: 1,
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...NOT_FAST, ...PROCESSES],
          // Most tests wait for git and other processes, so use every core; the default leaves one idle.
          maxWorkers: '100%',
          // Files share what they import: loading it for each file took a third of the run. So helpers clean up with
          // onTestFinished. A hook at the top of a helper would be registered for the first file only.
          isolate: false,
          setupFiles: ['test/support/collect-garbage.ts'],
          execArgv: ['--expose-gc'],
          unstubEnvs: true,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'fast-processes',
          include: PROCESSES,
          exclude: NOT_FAST,
          // A fresh worker for each file: the larger a process is, the more it costs to start another from it.
          maxWorkers: '100%',
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: [SLOW],
          exclude: ['test/fixtures/**', ...ALONE],
          // They start servers, runners and whole campaigns, and wait for them most of the time.
          maxWorkers: 2,
          testTimeout: 5 * MINUTE,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'slow-alone',
          include: ALONE,
          testTimeout: 5 * MINUTE,
          sequence: { groupOrder: 2 },
        },
      },
      // Needs redis-server on the path and fails without it.
      { extends: true, test: { name: 'redis', include: [REDIS], sequence: { groupOrder: 3 } } },
      {
        extends: true,
        // Needs root and sudo and fails without them.
        test: { name: 'sudo', include: [SUDO], hookTimeout: 3 * MINUTE, sequence: { groupOrder: 4 } },
      },
      {
        extends: true,
        // Needs act, which is not on npm: `ACT_BIN=/path/to/act npm run test:act`.
        test: {
          name: 'act',
          include: ['test/parity/*.parity.ts'],
          testTimeout: 5 * MINUTE,
          sequence: { groupOrder: 5 },
        },
      },
    ],
  },
})
