import { describe, expect, it } from 'vitest'
import type { CampaignState } from '../../../src/core/campaign/campaign.ts'
import type { Job } from '../../../src/core/campaign/job.ts'
import { planMeasurement } from '../../../src/core/measuring/measurement-plan.ts'
import { planJob } from '../../../src/core/planning/plan.ts'
import { aCampaign, aConfig, aFailure, aResult } from '../../support/builders.ts'
import { begun, finished, step } from '../../support/campaign-steps.ts'

const SEARCH = { policy: 'adaptive', warmUp: 4, window: 1, independentShare: 0.1 } as const

/** A campaign whose candidates 1, 2, … have these scores; undefined fails. All share one cell. */
function played(scores: readonly (number | undefined)[], search: object = {}): CampaignState {
  const config = aConfig({ search: { ...SEARCH, ...search }, limits: { candidates: 100 } })
  let state = begun(aCampaign({ config }))
  for (const [index, score] of scores.entries()) {
    const result =
      score === undefined ? aFailure() : aResult(index + 1, { metrics: { score, x: 0.5, y: 0.5 } })
    state = step(state, finished(index + 1, result)).state
  }
  return state
}

const openJob = (state: CampaignState): Job => {
  const [job] = [...state.jobs.values()]
  if (job === undefined) throw new RangeError('no job is open')
  return job
}

describe('the policy adaptive', () => {
  it('starts with independent seeds', () => {
    const state = played([])
    const jobs = [1, 2, 3, 4].map((ordinal) => planJob(state, ordinal).job)
    expect(jobs.map(({ parent, independent }) => [parent.ordinal, independent])).toEqual(
      jobs.map(() => [0, true]),
    )
  })

  it('breeds from the best estimate after the warm-up, although it holds no cell', () => {
    const config = aConfig({ search: SEARCH, limits: { candidates: 100 } })
    const exact = played([2, 5, 3, 4])
    expect(openJob(exact).parent.ordinal).toBe(2)
    // Another campaign, in which the best is not in the archive at all.
    const elsewhere = { ...exact, archive: aCampaign({ config }).archive }
    expect(planJob(elsewhere, 50).job.parent.ordinal).toBe(2)
  })

  it('does not breed from a declined candidate', () => {
    const state = played([2, 5, 3, 4])
    const control = { ...state.campaign.control, declined: [2] }
    const declined = { ...state, campaign: { ...state.campaign, control } }
    expect(planJob(declined, 50).job.parent.ordinal).toBe(4)
  })

  it('spreads the rest of the independent arm evenly over the budget', () => {
    const state = played([2, 5, 3, 4])
    const independent = Array.from({ length: 100 }, (_, index) => index + 1).filter(
      (ordinal) => planJob(state, ordinal).job.independent === true,
    )
    expect(independent).toHaveLength(10)
    expect(independent.slice(0, 5)).toEqual([1, 2, 3, 4, 20])
  })

  it('crosses the head with a proven donor, and remembers the pair', () => {
    const crossover = { mutate: 0, crossover: 1, structural: 0, fresh: 0, repair: 0 }
    const state = played([2, 5, 3, 4], { operators: crossover })
    const job = openJob(state)
    expect([job.operator, job.parent.ordinal]).toEqual(['crossover', 2])
    const donor = job.inspirations[0]?.ordinal
    expect([1, 3, 4]).toContain(donor)
    expect(state.campaign.search.breeding?.crossed).toEqual([`2:${donor}`])
  })

  it('prefers a close second while the head has many unfinished children', () => {
    const config = aConfig({ search: { ...SEARCH, window: 64 }, limits: { candidates: 200 } })
    let state = begun(aCampaign({ config }))
    for (const [index, score] of [2, 5, 4.99].entries())
      state = step(
        state,
        finished(index + 1, aResult(index + 1, { metrics: { score, x: 0.5, y: 0.5 } })),
      ).state
    const [some] = [...state.jobs.values()].filter(({ kind }) => kind === 'candidate')
    if (some === undefined) throw new RangeError('no job is open')
    const busy = new Map(
      Array.from({ length: 60 }, (_, index) => {
        const parent = { ordinal: 2, commit: 'c', tree: 't' }
        return [100 + index, { ...some, ordinal: 100 + index, parent }] as const
      }),
    )
    expect(planJob({ ...state, jobs: new Map() }, 190).job.parent.ordinal).toBe(2)
    expect(planJob({ ...state, jobs: busy }, 190).job.parent.ordinal).toBe(3)
  })

  it('counts failed and losing independent draws as no gain', () => {
    const { arm } = played([2, undefined, 0.5, 4]).campaign.search
    expect(arm).toEqual({ draws: 4, gains: [Math.log(4), Math.log(2), 0, 0] })
  })

  it('a parent without a cell sets the bar for its children', () => {
    const state = played([2, 5, 3, 4])
    const noisy = {
      ...state,
      archive: aCampaign().archive,
      campaign: {
        ...state.campaign,
        baseline: { metrics: { score: 1 }, value: [1], deterministic: false },
      },
      config: { ...state.config, evaluation: { ...state.config.evaluation, baselineRuns: 3 } },
    }
    const plan = planMeasurement(noisy, openJob(state))
    expect(plan.kind === 'paired' ? plan.bar : undefined).toBeCloseTo(Math.log(5))
  })
})
