import { expect, it } from 'vitest'
import { prepareHistory, rebuild } from '../../../src/core/archive/rebuild.ts'
import { NO_USAGE } from '../../../src/core/budget/budget.ts'
import type { CampaignState } from '../../../src/core/campaign/campaign.ts'
import type { JobResult } from '../../../src/core/campaign/job.ts'
import { finish } from '../../../src/core/steps.ts'
import { aCampaign, aConfig, aFailure, aResult } from '../../support/builders.ts'
import { BASELINE, begun, finished, playOut, step, stepWithHistory } from '../../support/campaign-steps.ts'

it('leads from the ledger to the same elites, past failures and duplicates', () => {
  const config = aConfig({ limits: { candidates: 40 } })
  const done = playOut(begun(aCampaign({ config })), ({ kind, parent, ...job }) => {
    const ordinal = kind === 'confirm' ? parent.ordinal : job.ordinal
    if (ordinal % 7 === 0) return aFailure()
    const name = ordinal % 5 === 0 ? 'same' : ordinal
    return aResult(name, { metrics: { score: (ordinal * 13) % 11, x: (ordinal % 8) / 8, y: 0 } })
  })
  const rebuilt = rebuild(done, done.ledger.tail).archive
  expect(rebuilt.members()).toEqual(done.archive.members())
  expect(rebuilt.members().length).toBeGreaterThan(2)
})

it('gives the cell of a discarded candidate to the next best, as the campaign itself does', () => {
  const scored = (ordinal: number) => aResult(ordinal, { metrics: { score: ordinal, x: 0.9, y: 0.9 } })
  const config = aConfig({ limits: { candidates: 6, parallel: 2 } })
  const done = playOut(begun(aCampaign({ config, order: 'arrival' })), ({ ordinal, kind, parent }) =>
    scored(kind === 'confirm' ? parent.ordinal : ordinal),
  )
  const holder = (state: CampaignState) =>
    state.archive.members().find(({ elite }) => elite.ordinal !== 0)?.elite.ordinal
  expect(holder(done)).toBe(6)
  const asked = step(done, { type: 'discard', ordinal: 6 })
  expect(asked.effects).toContainEqual({ type: 'need-history' })
  const freed = step(asked.state, { type: 'history', entries: done.ledger.tail }).state
  expect(holder(freed)).toBe(5)
  expect(rebuild(freed, done.ledger.tail).archive.members()).toEqual(freed.archive.members())
  const back = step(freed, { type: 'promote', candidate: { ...aResult(6), ordinal: 6 }, by: 'wendy' })
  expect(back.effects).toContainEqual({ type: 'need-history' })
  expect(holder(step(back.state, { type: 'history', entries: done.ledger.tail }).state)).toBe(6)
})

it('takes a history that was prepared for this very state, and computes it itself otherwise', () => {
  const before = ended()
  const entries = before.ledger.tail
  const { state } = step(before, { type: 'discard', ordinal: 6 })
  const prepared = finish(prepareHistory(state, entries))
  const taken = step(state, { type: 'history', entries, prepared }).state
  expect(taken.archive).toBe(prepared.archive)
  expect(ordinalsOf(taken)).toEqual([0, 5])
  const older = finish(prepareHistory(before, entries))
  expect(ordinalsOf(step(state, { type: 'history', entries, prepared: older }).state)).toEqual([0, 5])
})

/** A campaign that has ended, in which all candidates are in one cell and the latest is the best. */
function ended(): CampaignState {
  const config = aConfig({ limits: { candidates: 6, parallel: 2 } })
  return playOut(begun(aCampaign({ config, order: 'arrival' })), ({ ordinal, kind, parent }) =>
    placed(kind === 'confirm' ? parent.ordinal : ordinal),
  )
}

const placed = (ordinal: number, more = 0) =>
  aResult(ordinal, { metrics: { score: ordinal + more, x: 0.9, y: 0.9 } })

/** Lets a person have a candidate measured once more. */
function measureAgain(state: CampaignState, ordinal: number, result: JobResult): CampaignState {
  const asked = step(state, { type: 'measure-again', candidate: { ...aResult(ordinal), ordinal } }).state
  const job = [...asked.jobs.values()].find(({ kind }) => kind === 'confirm')
  return stepWithHistory(asked, finished(job?.ordinal ?? -1, result)).state
}

const ordinalsOf = (state: CampaignState) => state.archive.members().map(({ elite }) => elite.ordinal)

it('gives a candidate its cell back that failed once and is measured again, as the campaign does', () => {
  const failed = measureAgain(ended(), 6, aFailure())
  expect(ordinalsOf(failed)).toEqual([0, 5])
  const again = measureAgain(failed, 6, placed(6))
  expect(ordinalsOf(again)).toEqual([0, 6])
  expect(rebuild(again, again.ledger.tail).archive.members()).toEqual(again.archive.members())
})

it('places a candidate that had no figures in an epoch, as the campaign does', () => {
  const before = ended()
  const { config } = before
  const change = { type: 'config', config, evaluator: 'f'.repeat(64), reserved: NO_USAGE } as const
  const renewed = playOut(step(before, change).state, ({ kind, parent }) =>
    kind === 'baseline' ? BASELINE : placed(parent.ordinal),
  )
  expect(ordinalsOf(renewed)).toEqual([0, 6])
  const again = measureAgain(renewed, 3, placed(3, 100))
  expect(ordinalsOf(again)).toEqual([0, 3])
  expect(rebuild(again, again.ledger.tail).archive.members()).toEqual(again.archive.members())
})
