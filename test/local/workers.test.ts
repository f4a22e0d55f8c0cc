import { describe, expect, it } from 'vitest'
import type { Job, JobResult } from '../../src/core/campaign/job.ts'
import { Workers } from '../../src/local/workers.ts'
import { anObjectId, aResult } from '../support/builders.ts'
import { aJob } from '../support/workbench.ts'

function job(ordinal: number, attempt = 1): Job {
  return aJob(anObjectId('c'), anObjectId('t'), { ordinal, attempt })
}

/** Runs that end when told to. */
function controlled() {
  const started: number[] = []
  const ends = new Map<number, (result: JobResult | undefined) => void>()
  const fails = new Map<number, (error: Error) => void>()
  const run = ({ ordinal }: Job, signal: AbortSignal): Promise<JobResult | undefined> => {
    started.push(ordinal)
    return new Promise((resolve, reject) => {
      ends.set(ordinal, resolve)
      fails.set(ordinal, reject)
      signal.addEventListener('abort', () => resolve(undefined))
    })
  }
  return {
    run,
    started,
    end: (ordinal: number) => ends.get(ordinal)?.(aResult(ordinal)),
    fail: (ordinal: number, error: Error) => fails.get(ordinal)?.(error),
  }
}

describe('Workers', () => {
  it('workers run the lowest ordinals first, and no more at once than allowed', async () => {
    const { run, started, end } = controlled()
    const workers = new Workers(run, 2)
    for (const ordinal of [5, 3, 4, 1]) workers.dispatch(job(ordinal))
    expect(started).toEqual([5, 3])
    end(5)
    expect((await workers.take()).map((event) => event.type === 'finished' && event.ordinal)).toEqual([5])
    expect(started).toEqual([5, 3, 1])
    await workers.stop()
  })

  it('workers take a dispatched job once, and another attempt of it too', async () => {
    const { run, started } = controlled()
    const workers = new Workers(run, 3)
    for (const attempt of [1, 1, 2]) workers.dispatch(job(1, attempt))
    expect(started).toEqual([1, 1])
    await workers.stop()
  })

  it('workers give nothing when nothing is under way', async () => {
    expect(await new Workers(controlled().run, 1).take()).toEqual([])
  })

  it('workers pass on the fault of a job, and start no other', async () => {
    const { run, started, fail } = controlled()
    const workers = new Workers(run, 1)
    workers.dispatch(job(1))
    workers.dispatch(job(2))
    fail(1, new Error('disk full'))
    await expect(workers.take()).rejects.toThrow('disk full')
    expect(started).toEqual([1])
  })

  it('workers stop what is running, wait for its end, and drop what waits', async () => {
    const { run, started } = controlled()
    const workers = new Workers(run, 1)
    workers.dispatch(job(1))
    workers.dispatch(job(2))
    const taken = workers.take()
    await workers.stop()
    expect(await taken).toEqual([])
    expect(started).toEqual([1])
  })
})
