import { describe, expect, it } from 'vitest'
import { rebuild } from '../../../src/core/archive/rebuild.ts'
import { NO_USAGE } from '../../../src/core/budget/budget.ts'
import type { CampaignState } from '../../../src/core/campaign/campaign.ts'
import type { CampaignEvent } from '../../../src/core/campaign/events.ts'
import type { Job } from '../../../src/core/campaign/job.ts'
import { encodeCampaign } from '../../../src/store/encode.ts'
import { aCampaign, aConfig, aFailure, aResult, MORE_SCORE, withAllTrees } from '../../support/builders.ts'
import {
  BASELINE,
  begun,
  dispatched,
  finished,
  playOut,
  resumed,
  step,
  stepWithHistory,
} from '../../support/campaign-steps.ts'
import { Documents } from '../../support/documents.ts'

const OTHER = 'f'.repeat(64)
const config = aConfig({ search: { window: 2 }, limits: { candidates: 6, parallel: 1 } })
const scored = (name: number, score: number, x: number) => aResult(name, { metrics: { score, x, y: 0 } })
const edit = (changes: Partial<CampaignEvent & { type: 'config' }> = {}): CampaignEvent => ({
  type: 'config',
  config,
  evaluator: OTHER,
  reserved: NO_USAGE,
  ...changes,
})
const verdictsOf = ({ ledger }: CampaignState) => ledger.tail.map(({ verdict }) => verdict)
const openOf = ({ jobs }: CampaignState) =>
  [...jobs.values()].map(({ kind, purpose, parent }) => [purpose ?? kind, parent.ordinal])

/** Two elites beside the root, and candidates under way. */
function underWay(order: 'ordinal' | 'arrival') {
  const state = begun(aCampaign({ config, order }))
  return step(state, finished(1, scored(1, 5, 0)), finished(2, scored(2, 7, 0.99))).state
}

describe('another runner label', () => {
  const on = (label: string, name: number, score: number) =>
    aResult(name, { metrics: { score, x: 0, y: 0 }, runner: { image: 'ubuntu24 20261101.1', label } })
  const root = aResult(0, { ...BASELINE, runner: { label: 'ubuntu-24.04' } })
  const start = () => begun(aCampaign({ config, order: 'arrival' }), root)

  it('another runner label begins an epoch in which everything is measured again', () => {
    const before = step(start(), finished(1, on('ubuntu-24.04', 1, 5))).state
    expect(before.ledger.tail.at(-1)).toMatchObject({
      runner: { image: 'ubuntu24 20261101.1', label: 'ubuntu-24.04' },
    })
    const { state } = step(before, finished(2, on('big', 2, 50)))
    expect(state.campaign).toMatchObject({ epoch: 2, runnerLabel: 'big' })
    expect(verdictsOf(state).at(-1)).toEqual({ status: 'refused', reason: 'superseded' })
    expect(openOf(state)).toEqual([['baseline', 0]])
    const ordinal = state.campaign.nextOrdinal - 1
    const renewed = step(
      state,
      finished(ordinal, aResult(0, { ...BASELINE, runner: { label: 'big' } })),
    ).state
    expect(openOf(renewed)).toContainEqual(['epoch', 1])
    const done = playOut(renewed, (job) => on('big', job.parent.ordinal || job.ordinal, 9))
    expect(done.campaign).toMatchObject({ epoch: 2, status: { phase: 'finished' } })
  })

  it('each epoch reserves the runner time of its own root only', () => {
    const noisily = (label: string) => ({
      ...aResult(0, { ...BASELINE, runner: { label } }),
      usage: { ...NO_USAGE, runnerMs: 12_000 },
      samples: [1, 1.02, 0.98, 1.01, 0.99, 1.03, 0.97, 1, 1.015, 0.985, 1.01, 0.99].map((score) => ({
        subject: 'candidate' as const,
        stage: 'full' as const,
        metrics: { score, x: 0, y: 0 },
      })),
    })
    const reserved = { ...NO_USAGE, runnerMs: 60_000 }
    const first = begun(aCampaign({ config, order: 'arrival', reserved }), noisily('a'))
    expect(first.campaign.reserved.runnerMs).toBeGreaterThan(60_000)
    const moved = step(first, finished(1, on('b', 1, 5))).state
    expect(moved.campaign).toMatchObject({ epoch: 2, reserved: { runnerMs: 60_000 } })
    const second = step(moved, finished(moved.campaign.nextOrdinal - 1, noisily('b'))).state
    expect(second.campaign.reserved).toEqual(first.campaign.reserved)
  })

  it('a first runner label is only recorded, and a new image begins no epoch', () => {
    const unknown = begun(aCampaign({ config, order: 'arrival' }))
    const { campaign } = step(unknown, finished(1, on('big', 1, 5))).state
    expect(campaign).toMatchObject({ epoch: 1, runnerLabel: 'big' })
    const other = aResult(1, { runner: { image: 'ubuntu24 20261201.9', label: 'ubuntu-24.04' } })
    expect(step(start(), finished(1, other)).state.campaign.epoch).toBe(1)
    expect(step(start(), finished(1, aResult(1))).state.campaign.epoch).toBe(1)
  })
})

describe.each(['ordinal', 'arrival'] as const)(
  'a config that measures with something else, in %s order',
  (order) => {
    const before = underWay(order)
    const edited = step(before, edit())
    const measuredRoot = stepWithHistory(
      edited.state,
      finished(
        before.campaign.nextOrdinal,
        aResult(0, { ...BASELINE, metrics: { score: 50, x: 0.5, y: 0.5 } }),
      ),
    )

    it('a new evaluator begins an epoch with the root and supersedes open jobs without spending candidates', () => {
      expect(edited.state.campaign).toMatchObject({
        epoch: 2,
        evaluator: OTHER,
        finished: 2,
        status: { phase: 'baseline' },
      })
      expect(openOf(edited.state)).toEqual([['baseline', 0]])
      expect(dispatched(edited.effects)).toEqual([before.campaign.nextOrdinal])
      const superseded = verdictsOf(edited.state).slice(3)
      expect(superseded).toEqual([...before.jobs].map(() => ({ status: 'refused', reason: 'superseded' })))
      expect(edited.state.archive.members()).toEqual([])
    })

    it('measures the elites again, the best first, before anything is planned', () => {
      expect(openOf(measuredRoot.state)).toEqual([
        ['epoch', 2],
        ['epoch', 1],
      ])
      expect(measuredRoot.state.campaign.baseline?.value).toEqual([50])
      expect(measuredRoot.state.archive.members().map(({ elite }) => elite.ordinal)).toEqual([0])
      expect(rebuild(measuredRoot.state, measuredRoot.state.ledger.tail).archive.members()).toEqual(
        measuredRoot.state.archive.members(),
      )
    })

    it('lets them compete with their new figures alone, and goes on', () => {
      const done = playOut(measuredRoot.state, (job) =>
        job.kind === 'confirm'
          ? {
              ...scored(0, job.parent.ordinal === 2 ? 10 : 60, job.parent.ordinal === 2 ? 0.99 : 0),
              commit: job.parent.commit,
              tree: job.parent.tree,
            }
          : aFailure(),
      )
      const values = done.archive.members().map(({ elite }) => [elite.ordinal, elite.value[0]])
      expect(new Map(values.map(([ordinal = 0, value = 0]) => [ordinal, value]))).toEqual(
        new Map([
          [0, 50],
          [1, 60],
          [2, 10],
        ]),
      )
      expect(done.campaign.finished).toBe(6)
      expect(rebuild(done, done.ledger.tail).archive.members()).toEqual(done.archive.members())
      const documents = new Documents(config)
      documents.save(done)
      expect(encodeCampaign({ state: documents.load(), config })).toEqual(
        encodeCampaign({ state: done, config }),
      )
    })

    it('a tree of the old epoch is evaluated again, one of this epoch never', () => {
      const renewed = playOnly(measuredRoot.state, 'epoch')
      const [next] = renewed.jobs.values()
      if (next === undefined) throw new Error('nothing is planned')
      const twin = step(renewed, finished(next.ordinal, aResult('twin', { tree: aResult(1).tree }))).state
      expect(verdictsOf(twin).at(-1)).toEqual({ status: 'refused', reason: 'duplicate', of: 1 })
      const refused = step(withAllTrees(edited.state), finished(before.campaign.nextOrdinal, BASELINE))
      expect(verdictsOf(refused.state).at(-1)).toMatchObject({ status: 'admitted' })
    })
  },
)

/** Measures the root of an epoch. */
function measureRoot(state: CampaignState): CampaignState {
  const root = [...state.jobs.values()].find(({ kind }) => kind === 'baseline')
  return stepWithHistory(state, finished(root?.ordinal ?? 0, BASELINE)).state
}

function measuredAgain({ parent }: Job) {
  const { ordinal, commit, tree } = parent
  return { ...scored(0, 55 + ordinal, ordinal / 3), commit, tree }
}

/** What another host would carry on with. */
function saved(state: CampaignState): CampaignState {
  const documents = new Documents(config)
  documents.save(state)
  return documents.load()
}

/** Measures again what is open for that purpose. */
function playOnly(before: CampaignState, purpose: 'epoch'): CampaignState {
  let state = before
  for (const job of before.jobs.values()) {
    if (job.purpose !== purpose) continue
    state = stepWithHistory(state, finished(job.ordinal, measuredAgain(job))).state
  }
  return state
}

describe('a config that measures with the same', () => {
  it('applies at once, and no epoch begins', () => {
    const before = underWay('arrival')
    const target = aConfig({ objectives: [{ ...MORE_SCORE, target: 6 }], search: { window: 2 } })
    const { state } = step(before, edit({ config: target, evaluator: before.campaign.evaluator }))
    expect([state.campaign.epoch, state.campaign.stopping]).toEqual([1, 'target-reached'])
  })

  it('sets more aside for each candidate when it may cost more, never less than for those in flight', () => {
    const before = underWay('arrival')
    const { evaluator } = before.campaign
    const dear = { tokens: 500, dollars: 2, runnerMs: 9, measuringMs: 5 }
    const { state } = step(before, edit({ evaluator, reserved: dear }))
    expect(state.campaign.reserved).toEqual(dear)
    expect(step(state, edit({ evaluator, reserved: NO_USAGE })).state.campaign.reserved).toEqual(dear)
  })
})

describe('an epoch', () => {
  it('a new evaluator begins no epoch before anything was measured', () => {
    const { state, effects } = step(aCampaign({ config, order: 'arrival' }), edit())
    expect(state.campaign).toMatchObject({ epoch: 1, evaluator: OTHER })
    expect([state.jobs.get(0)?.attempt, dispatched(effects)]).toEqual([2, [0]])
  })

  it('cancels the runs that it superseded', () => {
    const before = underWay('arrival')
    const [job] = before.jobs.values()
    const known = step(before, { type: 'dispatched', ordinal: job?.ordinal ?? 0, attempt: 1, run: 77 }).state
    expect(step(known, edit()).effects).toContainEqual({ type: 'cancel', run: 77 })
    // Also one that becomes known with the edit itself.
    const late: CampaignEvent = { type: 'dispatched', ordinal: job?.ordinal ?? 0, attempt: 1, run: 78 }
    expect(step(before, edit(), late).effects).toContainEqual({ type: 'cancel', run: 78 })
  })

  it('an epoch whose root cannot be measured pauses until the config is fixed', () => {
    const { state } = step(underWay('arrival'), edit())
    const [job] = state.jobs.values()
    const broken = step(state, finished(job?.ordinal ?? 0, aFailure())).state
    expect(broken.campaign.status).toMatchObject({ phase: 'paused', reason: 'baseline-invalid' })
    const mended = step(broken, edit({ evaluator: 'd'.repeat(64) }))
    expect(mended.state.campaign).toMatchObject({ epoch: 3, status: { phase: 'baseline' } })
    expect(mended.state.campaign.renewing.map(({ ordinal }) => ordinal).sort()).toEqual([1, 2])
    expect(dispatched(mended.effects)).toHaveLength(1)
  })

  it.each([
    ['one of them is measured', 1],
    ['all are measured, but the archive is not rebuilt yet', 2],
  ])('measures every elite again that an epoch before was about to, when %s', (_, results) => {
    const rooted = measureRoot(step(underWay('arrival'), edit()).state)
    const renewals = [...rooted.jobs.values()].slice(0, results)
    const half = renewals.reduce(
      (state, job) => step(state, finished(job.ordinal, measuredAgain(job))).state,
      rooted,
    )
    const third = measureRoot(step(saved(half), edit({ evaluator: 'd'.repeat(64) })).state)
    expect(openOf(third)).toEqual([
      ['epoch', 2],
      ['epoch', 1],
    ])
    const elites = playOnly(third, 'epoch').archive.members()
    expect(elites.map(({ elite }) => elite.ordinal).sort()).toEqual([0, 1, 2])
  })

  it('a new epoch gives another chance to elites that could not be measured before', () => {
    const rooted = measureRoot(step(underWay('arrival'), edit()).state)
    const broken = [...rooted.jobs.values()].reduce(
      (state, job) => stepWithHistory(state, finished(job.ordinal, aFailure())).state,
      rooted,
    )
    expect(broken.archive.members().map(({ elite }) => elite.ordinal)).toEqual([0])
    const mended = measureRoot(step(saved(broken), edit({ evaluator: 'd'.repeat(64) })).state)
    const renewed = playOnly(mended, 'epoch')
    expect(renewed.archive.members().map(({ elite }) => elite.ordinal)).toEqual([1, 0, 2])
    // Once measured, those that hold no cell are not looked at again.
    expect(renewed.campaign.unplaced).toEqual([])
  })

  it('a new epoch finishes a finished campaign again with its own figures', () => {
    const done = playOut(begun(aCampaign({ config })), ({ ordinal }) => scored(ordinal, ordinal, ordinal / 6))
    expect(done.campaign.status.phase).toBe('finished')
    const again = playOut(step(done, edit(), resumed(done)).state, ({ kind, parent }) => ({
      ...scored(0, 100 - parent.ordinal, parent.ordinal / 6),
      ...(kind === 'candidate' ? {} : { commit: parent.commit, tree: parent.tree }),
    }))
    expect(again.campaign).toMatchObject({
      finished: 6,
      status: { phase: 'finished', reason: 'budget-candidates' },
    })
    expect(Math.min(...again.archive.members().map(({ elite }) => elite.value[0] ?? 0))).toBeGreaterThan(90)
  })

  it('an epoch that is stopped before its baseline ends at once', () => {
    const { state } = step(underWay('arrival'), edit())
    const stopped = step(state, { type: 'command', command: 'stop', detail: '' }).state
    expect(stopped.campaign.status).toEqual({ phase: 'finished', reason: 'stopped' })
    const documents = new Documents(config)
    documents.save(stopped)
    expect(documents.load().ledger.count).toBe(stopped.ledger.count)
  })
})
