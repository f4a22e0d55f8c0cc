import { afterAll } from 'vitest'

const LARGE_BYTES = 200e6

// Starting a process costs as much as this one is large, because the kernel copies its page tables: 0.5 ms of processor
// time when it is small, 16 ms at 500 MB. Tests start git thousands of times, and one worker runs many files.
afterAll(() => {
  if (process.memoryUsage.rss() > LARGE_BYTES) globalThis.gc?.()
})
