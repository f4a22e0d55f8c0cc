import { describe, expect, it } from 'vitest'
import type { CampaignState } from '../../../src/core/campaign/campaign.ts'
import type { Policy } from '../../../src/core/campaign/engine-config.ts'
import type { Job } from '../../../src/core/campaign/job.ts'
import { LENSES, type Operator, type OperatorWeights } from '../../../src/core/planning/operators.ts'
import { planJob } from '../../../src/core/planning/plan.ts'
import { aCampaign, aConfig, anArchive, anElite, ROOT } from '../../support/builders.ts'

interface Situation {
  readonly policy?: Policy
  readonly elites?: number
  readonly seed?: number
  readonly recipes?: readonly string[]
}

/** A campaign after its warm-up of 5; elite n has the value n, and the root is elite 0. */
function situation({ policy = 'qd', elites = 4, seed = 1, recipes = [] }: Situation = {}): CampaignState {
  const config = aConfig({ search: { policy, seed, warmUp: 5, inspirations: 2 } })
  const state = aCampaign({ config })
  const members = Array.from({ length: elites }, (_, ordinal) =>
    anElite({ ordinal, value: [ordinal], descriptor: [(ordinal % 4) / 4, Math.floor(ordinal / 4) / 4] }),
  )
  const search = { ...state.campaign.search, recipes }
  return { ...state, archive: anArchive(members), campaign: { ...state.campaign, search } }
}

const planMany = (state: CampaignState, count: number): Job[] =>
  Array.from({ length: count }, (_, index) => planJob(state, 6 + index).job)

describe('warm-up', () => {
  it('starts every seed from the root with the next lens', () => {
    const state = situation()
    const jobs = [1, 2, 3, 4, 5].map((ordinal) => planJob(state, ordinal))
    expect(jobs.map(({ job }) => job.lens)).toEqual(LENSES.slice(0, 5).map(({ name }) => name))
    for (const { job, recipe } of jobs) {
      expect(job.parent).toEqual({ ordinal: 0, commit: ROOT.commit, tree: ROOT.tree })
      expect([job.operator, job.inspirations, recipe]).toEqual(['fresh', [], undefined])
    }
  })

  it.each(['champion', 'independent'] as const)('the policy %s has no warm-up', (policy) => {
    expect(aCampaign({ config: aConfig({ search: { policy, warmUp: 5 } }) }).campaign.warmUp).toBe(0)
  })

  it.each([
    [1, 6],
    [20, 6],
    [40, 10],
    [1000, 30],
  ])('warm-up of a budget of %d takes %d seeds', (candidates, warmUp) => {
    expect(aCampaign({ config: aConfig({ limits: { candidates } }) }).campaign.warmUp).toBe(warmUp)
  })
})

describe('planJob', () => {
  it('planJob depends on the state, the ordinal and the seed', () => {
    expect(planMany(situation(), 20)).toEqual(planMany(situation(), 20))
    expect(planMany(situation(), 20)).not.toEqual(planMany(situation({ seed: 2 }), 20))
  })

  it('planJob ignores open jobs, finished candidates and spending', () => {
    const state = situation()
    const used = { tokens: 9, dollars: 9, runnerMs: 9 }
    const later = { ...state, jobs: new Map(), campaign: { ...state.campaign, finished: 99, used } }
    expect(planMany(later, 20)).toEqual(planMany(state, 20))
  })

  it('breeds from several elites under qd, with inspirations that are not the parent', () => {
    const jobs = planMany(situation(), 40)
    expect(new Set(jobs.map(({ parent }) => parent.ordinal)).size).toBeGreaterThan(2)
    for (const { parent, inspirations } of jobs) {
      expect(inspirations).toHaveLength(2)
      expect(inspirations.map(({ ordinal }) => ordinal)).not.toContain(parent.ordinal)
    }
  })

  it('breeds from the best alone under champion', () => {
    const parents = planMany(situation({ policy: 'champion' }), 20).map(({ parent }) => parent.ordinal)
    expect(new Set(parents)).toEqual(new Set([3]))
  })

  it('always starts from the root under independent', () => {
    const jobs = planMany(situation({ policy: 'independent' }), 20)
    expect(new Set(jobs.map(({ parent }) => parent.ordinal))).toEqual(new Set([0]))
    expect(new Set(jobs.map(({ lens }) => lens)).size).toBeGreaterThan(3)
  })

  it('crosses in some candidates, and puts the donor first, never the root', () => {
    const jobs = planMany(situation(), 100)
    const crossed = jobs.filter(({ operator }) => operator === 'crossover')
    expect(crossed.length).toBeGreaterThan(15)
    expect(crossed.length).toBeLessThan(50)
    for (const { inspirations } of crossed) expect(inspirations[0]?.ordinal).not.toBe(0)
  })

  it('planJob does not cross if the root is the only donor', () => {
    const operators = planMany(situation({ elites: 1 }), 60).map(({ operator }) => operator)
    expect(operators).toContain('mutate')
    expect(operators).not.toContain('crossover')
  })

  it('draws again to avoid a recent recipe', () => {
    const first = planJob(situation(), 6).recipe
    if (first === undefined) throw new Error('a bred candidate has a recipe')
    const second = planJob(situation({ recipes: [first] }), 6).recipe
    expect(second).toBeDefined()
    expect(second).not.toBe(first)
  })

  it('repeats a recipe when there is no other', () => {
    const recipes = ['mutate', 'structural', 'fresh'].map((operator) => `${operator}:0:`)
    expect(recipes).toContain(planJob(situation({ elites: 1, recipes }), 6).recipe)
  })
})

describe('operators', () => {
  const only = (operator: Operator): OperatorWeights => ({
    ...{ mutate: 0, crossover: 0, fresh: 0, structural: 0, repair: 0 },
    [operator]: 1,
  })
  const withOperators = (operators: OperatorWeights, policy: Policy = 'qd'): CampaignState => {
    const state = situation({ policy })
    return { ...state, config: { ...state.config, search: { ...state.config.search, operators } } }
  }

  it('operators are drawn in proportion to their weights', () => {
    const operators = planMany(situation(), 400).map(({ operator }) => operator)
    const share = (wanted: Operator): number => operators.filter((each) => each === wanted).length / 400
    expect(share('structural')).toBeGreaterThan(0.06)
    expect(share('structural')).toBeLessThan(0.2)
    expect(share('repair')).toBe(0)
  })

  it('start a fresh candidate from the root, with the history told', () => {
    const [job] = planMany(withOperators(only('fresh')), 1)
    expect(job).toMatchObject({ operator: 'fresh', parent: { ordinal: 0 }, seen: 0 })
  })

  it('the operator falls back to mutate if no weighted operator is possible', () => {
    expect(planMany(withOperators(only('repair')), 1)[0]?.operator).toBe('mutate')
  })

  it('repair on the parent of what failed, and name it', () => {
    const state = withOperators(only('repair'))
    const failed = { ordinal: 9, parent: { ordinal: 2, commit: ROOT.commit, tree: ROOT.tree } }
    const search = { ...state.campaign.search, repairable: [failed] }
    const [job] = planMany({ ...state, campaign: { ...state.campaign, search } }, 1)
    expect(job).toMatchObject({ operator: 'repair', repairs: 9, parent: failed.parent })
  })

  it('leave the champion policy its best', () => {
    const parents = planMany(withOperators(only('fresh'), 'champion'), 5).map(({ parent }) => parent.ordinal)
    expect(new Set(parents)).toEqual(new Set([3]))
  })
})
