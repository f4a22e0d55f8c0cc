import { describe, expect, it } from 'vitest'
import { findBest } from '../../src/core/archive.ts'
import type { CampaignState, Job } from '../../src/core/campaign.ts'
import { rebuild } from '../../src/core/rebuild.ts'
import { aCampaign, aConfig, aResult } from '../support/builders.ts'
import { finished, playOut, stepWithHistory } from '../support/campaign-steps.ts'
import { begunNoisily, measured, turns } from '../support/noisy.ts'

const config = aConfig({ search: { window: 1 } })
const noisy = () => begunNoisily(aCampaign({ config, order: 'arrival' }))
const bestOf = ({ archive }: CampaignState) => findBest(archive, config.objectives)
const finish = (state: CampaignState, ordinal: number, result: ReturnType<typeof measured>) =>
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

  it('is measured again at once', () => {
    expect(openOf(lucky, 'best')?.parent.ordinal).toBe(1)
  })

  it('keeps its cell with what it was measured with then', () => {
    const again = confirm(lucky, 'best', turns(0.2))
    expect(bestOf(again)).toMatchObject({ ordinal: 1, confirmed: true })
    expect(bestOf(again)?.value[0]).toBeCloseTo(120, 0)
    expectRebuilt(again)
  })

  it('falls back when it was luck: the next best takes the cell, and is measured again itself', () => {
    const second = finish(lucky, 2, measured(2, turns(0.1)))
    expect(lastVerdict(second)).toMatchObject({ reason: 'not-better', holder: 1 })
    const fallen = confirm(second, 'best', turns(0))
    expect(bestOf(fallen)?.ordinal).toBe(2)
    expect(openOf(fallen, 'best')?.parent.ordinal).toBe(2)
    expectRebuilt(fallen)
  })

  it('is measured only once where numbers never vary', () => {
    const exact = aCampaign({ config, order: 'arrival' })
    const state = stepWithHistory(
      exact,
      finished(0),
      finished(1, aResult(1, { metrics: { score: 9, x: 0, y: 0 } })),
    )
    expect([...state.state.jobs.values()].map(({ kind }) => kind)).not.toContain('confirm')
  })
})

describe('an elite that is chosen often as a parent', () => {
  it('is measured again after eight children', () => {
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

  it('is settled by a duel on one machine', () => {
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

  it('show a gain that was for the shown inputs alone: it holds no cell any more', () => {
    const cheat = confirm(lucky, 'best', [...turns(0.3), ...turns(0.01, { stage: 'held-out' })])
    expect(lastVerdict(cheat)).toEqual({ status: 'overfitted', of: 1 })
    expect(cheat.ledger.tail.at(-1)?.heldOut?.gain).toBeCloseTo(0.01, 2)
    expect(bestOf(cheat)?.ordinal).toBe(0)
    expectRebuilt(cheat)
  })

  it('confirm a gain that is there on others too', () => {
    const honest = confirm(lucky, 'best', [...turns(0.3), ...turns(0.25, { stage: 'held-out' })])
    expect(lastVerdict(honest)).toEqual({ status: 'confirmed', of: 1 })
    expect(honest.ledger.tail.at(-1)?.heldOut?.shown).toBeCloseTo(0.3, 2)
  })
})

describe('the end of a campaign', () => {
  const few = aConfig({ search: { window: 1 }, limits: { candidates: 1 } })
  const ended = () =>
    confirm(finish(begunNoisily(aCampaign({ config: few })), 1, measured(1, turns(0.3))), 'best', turns(0.2))

  it('measures the best once more: what is reported did not choose it', () => {
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

describe('numbers that vary too much', () => {
  const wild = (limits = {}) => begunNoisily(aCampaign({ config: aConfig({ limits }), order: 'arrival' }), 8)

  it('pause the campaign before anything is spent, and say by how much', () => {
    const { campaign, jobs } = wild()
    expect(campaign.status).toMatchObject({ phase: 'paused', reason: 'too-noisy' })
    expect('detail' in campaign.status && campaign.status.detail).toMatch(/no gain below \d+ % can be told/)
    expect(jobs.size).toBe(0)
  })

  it('are gone on with only by whoever has seen it', () => {
    const state = wild()
    const resumed = { type: 'resumed', limits: state.config.limits } as const
    expect(stepWithHistory(state, resumed).state.campaign.status.phase).toBe('paused')
    const on = stepWithHistory(state, { ...resumed, acceptNoise: true }).state
    expect(on.campaign.status.phase).toBe('warm-up')
    expect(on.jobs.size).toBeGreaterThan(0)
  })

  it('only end a dry run', () => {
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
