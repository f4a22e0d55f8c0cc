import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Needs act, which is not on npm: `ACT_BIN=/path/to/act npm run test:act`.
    include: ['test/parity/*.parity.ts'],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
  },
})
