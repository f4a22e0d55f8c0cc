import { describe, expect, it } from 'vitest'
import { findBest } from '../../../src/core/archive/archive.ts'
import { rebuild } from '../../../src/core/archive/rebuild.ts'
import { NO_USAGE } from '../../../src/core/budget/budget.ts'
import type { CampaignState } from '../../../src/core/campaign/campaign.ts'
import type { Job, JobResult } from '../../../src/core/campaign/job.ts'
import { planMeasurement } from '../../../src/core/measuring/measurement-plan.ts'
import type { FailureReason } from '../../../src/core/measuring/verdict.ts'
import { aCampaign, aConfig, aFailure, aResult } from '../../support/builders.ts'
import { BASELINE, begun, finished, playOut, stepWithHistory } from '../../support/campaign-steps.ts'
import { begunNoisily, measured, turns } from '../../support/noisy.ts'

const config = aConfig({ search: { window: 1 } })
const noisy = () => begunNoisily(aCampaign({ config, order: 'arrival' }))
const bestOf = ({ archive }: CampaignState) => findBest(archive, config.objectives)
const finish = (state: CampaignState, ordinal: number, result: JobResult) =>
  stepWithHistory(state, finished(ordinal, result)).state
const openOf = ({ jobs }: CampaignState, purpose: Job['purpose']) =>
  [...jobs.values()].find((job) => job.kind === 'confirm' && job.purpose === purpose)
const lastVerdict = ({ ledger }: CampaignState) => ledger.tail.at(-1)?.verdict

/** Finishes the open confirmation of that purpose. */
function confirm(state: CampaignState, purpose: Job['purpose'], samples: ReturnType<typeof turns>) {
  const job = openOf(state, purpose)
  if (job === undefined) throw new Error(`nothing is measured again as ${purpose}`)
  const { commit, tree } = job.parent
  return finish(state, job.ordinal, { ...measured(0, samples), commit, tree })
}

function expectRebuilt(state: CampaignState): void {
  expect(rebuild(state, state.ledger.tail).archive.members()).toEqual(state.archive.members())
}

describe('a new best whose numbers vary', () => {
  const lucky = finish(noisy(), 1, measured(1, turns(0.3)))

  it('a noisy new best is measured again at once', () => {
    expect(openOf(lucky, 'best')?.parent.ordinal).toBe(1)
  })

  it('keeps its cell with what it was measured with then', () => {
    const again = confirm(lucky, 'best', turns(0.2))
    expect(bestOf(again)).toMatchObject({ ordinal: 1, confirmed: true })
    expect(bestOf(again)?.value[0]).toBeCloseTo(120, 0)
    expectRebuilt(again)
  })

  it('a lucky best falls back, and the next best takes the cell and is measured again', () => {
    const second = finish(lucky, 2, measured(2, turns(0.1)))
    expect(lastVerdict(second)).toMatchObject({ reason: 'not-better', holder: 1 })
    const fallen = confirm(second, 'best', turns(0))
    expect(bestOf(fallen)?.ordinal).toBe(2)
    expect(openOf(fallen, 'best')?.parent.ordinal).toBe(2)
    expectRebuilt(fallen)
  })

  it('a new best is measured only once if the evaluator is deterministic', () => {
    const exact = aCampaign({ config, order: 'arrival' })
    const state = stepWithHistory(
      exact,
      finished(0),
      finished(1, aResult(1, { metrics: { score: 9, x: 0, y: 0 } })),
    )
    expect([...state.state.jobs.values()].map(({ kind }) => kind)).not.toContain('confirm')
  })
})

describe('a candidate that fails when it is measured again', () => {
  const best = finish(noisy(), 1, measured(1, turns(0.3)))
  const failing = (reason: FailureReason) =>
    finish(best, openOf(best, 'best')?.ordinal ?? -1, aFailure({ reason }))

  it.each<FailureReason>(['evaluation-failed', 'evaluation-timed-out', 'output-unreadable', 'gate-failed'])(
    'loses its cell for %s',
    (reason) => {
      const fallen = failing(reason)
      expect(bestOf(fallen)?.ordinal).toBe(0)
      expectRebuilt(fallen)
    },
  )

  it.each<FailureReason>(['infrastructure', 'cancelled'])(
    'keeps it when that was not its fault: %s',
    (reason) => {
      const kept = failing(reason)
      expect(bestOf(kept)).toMatchObject({ ordinal: 1, confirmed: undefined })
      expectRebuilt(kept)
    },
  )

  it('loses it for one impossible number among many, and is not offered', () => {
    const bounded = aConfig({
      objectives: [{ metric: 'score', direction: 'maximize', max: 1000 }],
      search: { window: 1 },
      limits: { candidates: 1 },
    })
    const state = begunNoisily(aCampaign({ config: bounded, order: 'arrival' }))
    const last = confirm(finish(state, 1, measured(1, turns(0.3))), 'best', turns(0.3))
    const samples = turns(0.3).with(1, {
      subject: 'candidate',
      stage: 'full',
      metrics: { score: 1001, x: 0, y: 0 },
    })
    const done = confirm(last, 'final', samples)
    expect(bestOf(done)?.ordinal).toBe(0)
    expect(done.campaign.control.pulls).toMatchObject([{ status: 'refused' }])
    expectRebuilt(done)
  })

  it('a candidate that fails its final measurement is not the winner', () => {
    const few = aConfig({ search: { window: 1 }, limits: { candidates: 1 } })
    const lucky = finish(begunNoisily(aCampaign({ config: few })), 1, measured(1, turns(0.3)))
    const last = confirm(lucky, 'best', turns(0.3))
    const done = finish(last, openOf(last, 'final')?.ordinal ?? -1, aFailure())
    expect(done.campaign.status.phase).toBe('finished')
    expect(bestOf(done)?.ordinal).toBe(0)
  })
})

describe('an elite that is chosen often as a parent', () => {
  it('an elite is measured again after eight children', () => {
    const champion = aConfig({
      search: { window: 1, policy: 'champion' },
      limits: { parallel: 1, candidates: 60 },
    })
    let state = begunNoisily(aCampaign({ config: champion, order: 'arrival' }))
    state = finish(state, 1, measured(1, turns(0.3)))
    state = confirm(state, 'best', turns(0.3))
    for (let count = 0; openOf(state, 'steering') === undefined && count < 20; count++) {
      const job = [...state.jobs.values()].find(({ kind }) => kind === 'candidate')
      if (job === undefined) throw new Error('nothing is planned')
      state = finish(state, job.ordinal, measured(job.ordinal, turns(-0.1)))
    }
    expect(openOf(state, 'steering')?.parent.ordinal).toBe(1)
    expect(state.campaign.search.children['1']).toBe(8)
  })
})

describe('a close call', () => {
  const best = confirm(finish(noisy(), 1, measured(1, turns(0.1))), 'best', turns(0.1))
  const close = finish(best, 2, measured(2, turns(0.125, { wobble: 1.2 })))

  it('a close call is settled by a duel on one machine', () => {
    expect(lastVerdict(close)).toMatchObject({ reason: 'close-call', holder: 1 })
    expect(openOf(close, 'duel')).toMatchObject({ parent: { ordinal: 2 }, rival: { ordinal: 1 } })
  })

  it('goes to the challenger that stands out there, and the archive follows from the ledger', () => {
    const won = confirm(close, 'duel', turns(0.05, { against: 'rival' }))
    expect(lastVerdict(won)).toEqual({ status: 'duelled', of: 2, rival: 1, won: true })
    expect(won.archive.members().map(({ elite }) => elite.ordinal)).toEqual([2])
    expectRebuilt(won)
  })

  it('stays with the holder otherwise', () => {
    const lost = confirm(close, 'duel', turns(0, { against: 'rival' }))
    expect(lastVerdict(lost)).toMatchObject({ status: 'duelled', won: false })
    expect(lost.archive.members().map(({ elite }) => elite.ordinal)).toEqual([1])
  })
})

describe('held-out inputs', () => {
  const lucky = finish(noisy(), 1, measured(1, turns(0.3)))

  it('a candidate loses its cell if its gain is missing on held-out inputs', () => {
    const cheat = confirm(lucky, 'best', [...turns(0.3), ...turns(0.01, { stage: 'held-out' })])
    expect(lastVerdict(cheat)).toEqual({ status: 'overfitted', of: 1 })
    expect(cheat.ledger.tail.at(-1)?.heldOut?.gain).toBeCloseTo(0.01, 2)
    expect(bestOf(cheat)?.ordinal).toBe(0)
    expectRebuilt(cheat)
  })

  it('a gain that holds on held-out inputs is confirmed', () => {
    const honest = confirm(lucky, 'best', [...turns(0.3), ...turns(0.25, { stage: 'held-out' })])
    expect(lastVerdict(honest)).toEqual({ status: 'confirmed', of: 1 })
    expect(honest.ledger.tail.at(-1)?.heldOut?.shown).toBeCloseTo(0.3, 2)
    expect(bestOf(honest)?.heldOut?.gain).toBeCloseTo(0.25, 2)
    expectRebuilt(honest)
  })

  it('an elite of a deterministic campaign records its gain on held-out inputs', () => {
    const own = { metrics: { score: 2, x: 0, y: 0 } }
    const exact = finish(begun(aCampaign({ config, order: 'arrival' })), 1, aResult(1, own))
    const candidate = { ordinal: 1, commit: aResult(1).commit, tree: aResult(1).tree }
    const asked = stepWithHistory(exact, { type: 'measure-again', candidate }).state
    const heldOut = [1, 1.6].map((score, index) => ({
      subject: index === 0 ? ('root' as const) : ('candidate' as const),
      stage: 'held-out' as const,
      metrics: { score, x: 0, y: 0 },
    }))
    const shown = { subject: 'candidate' as const, stage: 'full' as const, ...own }
    const job = openOf(asked, undefined)
    const result = aResult(1, { ...own, samples: [shown, ...heldOut] })
    const told = finish(asked, job?.ordinal ?? -1, result)
    expect(bestOf(told)).toMatchObject({ ordinal: 1, heldOut: { shown: 1 } })
    expect(bestOf(told)?.heldOut?.gain).toBeCloseTo(0.6, 10)
    expectRebuilt(told)
  })
})

describe('an evaluator that was taken for deterministic', () => {
  const exact = (score: number) => aResult(1, { metrics: { score, x: 0, y: 0 } })
  const root = () => [...Array(3)].map(() => sampleOf(1))
  const sampleOf = (score: number) =>
    ({ subject: 'candidate', stage: 'full', metrics: { score, x: 0.5, y: 0.5 } }) as const
  const begin = (order: 'ordinal' | 'arrival') =>
    begun(aCampaign({ config, order }), { ...BASELINE, samples: root() })
  const askAgain = (order: 'ordinal' | 'arrival', score: number) => {
    const first = finish(begin(order), 1, exact(2))
    const candidate = { ordinal: 1, commit: exact(2).commit, tree: exact(2).tree }
    let state = stepWithHistory(first, { type: 'measure-again', candidate }).state
    // In ordinal order what was planned before comes before.
    for (const job of [...state.jobs.values()].filter(({ kind }) => kind === 'candidate'))
      if (order === 'ordinal') state = finish(state, job.ordinal, aFailure())
    return finish(state, openOf(state, undefined)?.ordinal ?? -1, exact(score))
  }

  it.each(['ordinal', 'arrival'] as const)(
    'an evaluator that gives the same files another number counts as noisy, and all are measured again (%s)',
    (order) => {
      const state = askAgain(order, 2.1)
      expect(state.campaign).toMatchObject({ epoch: 2, varies: true, status: { phase: 'baseline' } })
      const job = [...state.jobs.values()].find(({ kind }) => kind === 'baseline')
      const measuredRoot = finish(state, job?.ordinal ?? -1, { ...BASELINE, samples: root() })
      expect(measuredRoot.campaign.baseline?.deterministic).toBe(false)
      const again = openOf(measuredRoot, 'epoch')
      expect(again?.parent.ordinal).toBe(1)
      if (again === undefined) throw new Error('the elite is not measured again')
      expect(planMeasurement({ ...measuredRoot, config }, again)).toMatchObject({ kind: 'paired' })
      expectRebuilt(measuredRoot)
    },
  )

  it('stays one when it gives the same', () => {
    const state = askAgain('arrival', 2)
    expect(state.campaign).toMatchObject({ epoch: 1, baseline: { deterministic: true } })
  })

  it('one run of the root does not make an evaluator deterministic', () => {
    const state = begun(aCampaign({ config }), { ...BASELINE, samples: [sampleOf(1)] })
    expect(state.campaign.baseline).toMatchObject({ deterministic: false, noise: undefined })
  })
})

describe('the end of a campaign', () => {
  const few = aConfig({ search: { window: 1 }, limits: { candidates: 1 } })
  const ended = () =>
    confirm(finish(begunNoisily(aCampaign({ config: few })), 1, measured(1, turns(0.3))), 'best', turns(0.2))

  it('the best is measured again at the end, so that reported figures did not select it', () => {
    const last = ended()
    expect(openOf(last, 'final')?.parent.ordinal).toBe(1)
    const done = confirm(last, 'final', turns(0.15))
    expect(done.campaign.status).toEqual({ phase: 'finished', reason: 'budget-candidates' })
    expect(bestOf(done)?.value[0]).toBeCloseTo(115, 0)
  })

  it('offers a pull request with the figures of that measurement', () => {
    const state = begunNoisily(aCampaign({ config: few, order: 'arrival' }))
    const last = confirm(finish(state, 1, measured(1, turns(0.3))), 'best', turns(0.2))
    const done = confirm(last, 'final', [...turns(0.15), ...turns(0.14, { stage: 'held-out' })])
    const [pull] = done.campaign.control.pulls
    expect(pull?.status).toBe('confirmed')
    expect(pull?.confirmation?.metrics.score).toBeCloseTo(115, 0)
    expect(pull?.confirmation?.interval?.low[0]).toBeGreaterThan(100)
    expect(pull?.confirmation?.heldOut?.gain).toBeCloseTo(0.14, 2)
  })

  it.each([
    ['not better beyond the noise', turns(0.002), 'measured again, it is not better than the baseline'],
    [
      'overfitted',
      [...turns(0.2), ...turns(0, { stage: 'held-out' as const })],
      'overfitted: its gain is not there on the held-out inputs',
    ],
  ])('offers none that is %s', (_case, samples, detail) => {
    const state = begunNoisily(aCampaign({ config: few, order: 'arrival' }))
    const last = confirm(finish(state, 1, measured(1, turns(0.3))), 'best', turns(0.2))
    const done = confirm(last, 'final', samples)
    expect(done.campaign.control.pulls).toMatchObject([{ status: 'refused', detail }])
  })
})

describe('the budget of a campaign whose numbers vary', () => {
  const reserved = { tokens: 100, dollars: 10, runnerMs: 600_000, measuringMs: 120_000 }
  /** Plays a campaign out in which each job takes all of the time that is set aside for it. */
  const playWithin = (limits: object, order: 'ordinal' | 'arrival') =>
    playOut(
      begunNoisily(aCampaign({ config: aConfig({ search: { window: 1 }, limits }), order, reserved })),
      ({ ordinal, kind, parent }) =>
        kind === 'confirm'
          ? { ...measured(0, turns(0.2)), ...parent, usage: { ...NO_USAGE, runnerMs: 120_000 } }
          : { ...measured(ordinal, turns(0.2)), usage: { tokens: 100, dollars: 10, runnerMs: 600_000 } },
    )

  it.each([
    ['dollars', { dollars: 25 }, 'budget-dollars'],
    ['tokens', { tokens: 250 }, 'budget-tokens'],
    ['runner minutes', { runnerMinutes: 24 }, 'budget-runner-minutes'],
  ])('pays for measuring the winner when the %s are spent', (_, limits, reason) => {
    const done = playWithin(limits, 'arrival')
    expect(done.campaign.status).toEqual({ phase: 'finished', reason })
    expect(done.campaign.control.pulls).toMatchObject([{ candidate: { ordinal: 1 }, status: 'confirmed' }])
    expect(done.campaign.used.runnerMs).toBeLessThanOrEqual(24 * 60_000)
  })

  it.each(['ordinal', 'arrival'] as const)('sets runner minutes aside for the end in %s order', (order) => {
    for (const runnerMinutes of [12, 15, 24, 37, 50]) {
      const done = playWithin({ runnerMinutes }, order)
      expect(done.campaign.used.runnerMs).toBeLessThanOrEqual(runnerMinutes * 60_000)
      expect(bestOf(done)).toMatchObject({ ordinal: 1, confirmed: true })
      expect(done.ledger.tail.at(-1)?.kind).toBe('confirm')
    }
  })
})

it.each(['ordinal', 'arrival'] as const)(
  'runner minutes for the end are set aside also where numbers never vary, in %s order',
  (order) => {
    const usage = { ...NO_USAGE, runnerMs: 60_000 }
    const config = aConfig({ search: { window: 1 }, limits: { runnerMinutes: 10, parallel: 1 } })
    const start = begun(aCampaign({ config, order, reserved: usage }), { ...BASELINE, usage })
    const done = playOut(start, ({ ordinal, kind, parent }) => {
      const score = kind === 'confirm' ? parent.ordinal : ordinal
      return aResult(score, { usage, metrics: { score, x: 0.9, y: 0.9 } })
    })
    expect(done.campaign).toMatchObject({ used: { runnerMs: 600_000 }, status: { phase: 'finished' } })
    expect(done.ledger.tail.at(-1)).toMatchObject({ kind: 'confirm', parent: 8 })
  },
)

describe('numbers that vary too much', () => {
  const wild = (limits = {}) => begunNoisily(aCampaign({ config: aConfig({ limits }), order: 'arrival' }), 8)

  it('excessive noise pauses the campaign before it spends anything, and names the noise', () => {
    const { campaign, jobs } = wild()
    expect(campaign.status).toMatchObject({ phase: 'paused', reason: 'too-noisy' })
    expect('detail' in campaign.status && campaign.status.detail).toMatch(
      /no gain below \d+ % can be distinguished/,
    )
    expect(jobs.size).toBe(0)
  })

  it('a campaign paused for noise resumes only with acceptNoise', () => {
    const state = wild()
    const resumed = { type: 'resumed', limits: state.config.limits } as const
    expect(stepWithHistory(state, resumed).state.campaign.status.phase).toBe('paused')
    const on = stepWithHistory(state, { ...resumed, acceptNoise: true }).state
    expect(on.campaign.status.phase).toBe('warm-up')
    expect(on.jobs.size).toBeGreaterThan(0)
  })

  it('excessive noise does not pause a dry run', () => {
    expect(wild({ dryRun: true }).campaign.status).toMatchObject({ reason: 'dry-run' })
  })
})

it('plays a noisy campaign out with an archive that follows from its ledger', () => {
  const state = begunNoisily(aCampaign({ config: aConfig({ limits: { candidates: 12 } }) }))
  const done = playOut(state, ({ ordinal, kind, parent, rival }) => {
    const gain = ((ordinal * 7) % 5) / 50
    const samples = turns(gain, rival === undefined ? {} : { against: 'rival' })
    const result = measured(ordinal, samples, (ordinal % 3) / 3)
    return kind === 'confirm' ? { ...result, commit: parent.commit, tree: parent.tree } : result
  })
  expect(done.campaign.status.phase).toBe('finished')
  expectRebuilt(done)
})
