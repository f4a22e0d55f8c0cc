import { describe, expect, it } from 'vitest'
import { findWaiting, Twins } from '../../src/local/measure-queue.ts'
import type { Measurement } from '../../src/pipeline/measuring/evaluate-tree.ts'
import { anObjectId, aResult } from '../support/builders.ts'
import { aJob } from '../support/workbench.ts'

const MEASURED: Measurement = {
  status: 'measured',
  metrics: { score: 1 },
  samples: [],
  runnerMs: 9,
  logs: [],
}
const failed = (reason: 'evaluation-failed' | 'infrastructure' | 'guard-blocked'): Measurement => ({
  status: 'failed',
  reason,
  detail: '',
  runnerMs: 9,
  logs: [],
})

/** How often the same tree is measured by two candidates at once, and what the second is told. */
async function measureTwice(first: () => Promise<Measurement>) {
  const twins = new Twins()
  let runs = 0
  const work = () => {
    runs++
    return runs === 1 ? first() : Promise.resolve(MEASURED)
  }
  const [, second] = await Promise.allSettled([twins.measure('t', work), twins.measure('t', work)])
  return { runs, second: second.status === 'fulfilled' ? second.value : undefined }
}

describe('twins', () => {
  it('equal trees are measured once: the second costs nothing more', async () => {
    const { runs, second } = await measureTwice(async () => MEASURED)
    expect(runs).toBe(1)
    expect(second).toEqual({ ...MEASURED, runnerMs: 0 })
  })

  it('equal trees share a failure of their files', async () => {
    const { runs, second } = await measureTwice(async () => failed('evaluation-failed'))
    expect([runs, second]).toMatchObject([1, { reason: 'evaluation-failed', runnerMs: 0 }])
  })

  it.each<[string, () => Promise<Measurement>]>([
    ['the machine failed', async () => failed('infrastructure')],
    ['the guard judged the first beside another base', async () => failed('guard-blocked')],
    ['the first was aborted', async () => ({ status: 'aborted', logs: [] })],
    ['the first fell over', () => Promise.reject(new Error('no disk'))],
  ])('equal trees are measured each when %s', async (_, first) => {
    expect(await measureTwice(first)).toEqual({ runs: 2, second: MEASURED })
  })

  it('finds the figures of an equal tree that has waited since an earlier run', () => {
    const tree = anObjectId('t')
    const waiting = aJob(anObjectId('c'), tree, {
      ordinal: 2,
      kind: 'candidate',
      result: aResult(2, { tree }),
    })
    expect(findWaiting([waiting], tree)).toMatchObject({ status: 'measured', metrics: { score: 1 } })
    expect(findWaiting([waiting], anObjectId('another'))).toBeUndefined()
  })
})
