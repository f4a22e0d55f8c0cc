import { describe, expect, it } from 'vitest'
import type { CampaignState } from '../../../src/core/campaign/campaign.ts'
import type { CampaignEvent, Effect } from '../../../src/core/campaign/events.ts'
import { tick } from '../../../src/core/campaign/tick.ts'
import { aCampaign, aConfig, aFailure, anElite, aResult } from '../../support/builders.ts'
import {
  BASELINE,
  begun,
  dispatched,
  finished,
  minute,
  playOut,
  resumed,
  step,
  stepWithHistory,
} from '../../support/campaign-steps.ts'

const arrival = (limits: Parameters<typeof aConfig>[0] = {}) =>
  begun(aCampaign({ config: aConfig(limits), order: 'arrival' }))
const statusOf = ({ campaign }: CampaignState) => campaign.status
const typesOf = (effects: readonly Effect[]) => effects.map(({ type }) => type)
const scored = (name: number, score: number) => aResult(name, { metrics: { score, x: 0.1, y: 0.1 } })
const PROMOTE: CampaignEvent = { type: 'promote', candidate: refOf(1), by: 'wendy' }

function refOf(ordinal: number) {
  const { commit, tree } = aResult(ordinal)
  return { ordinal, commit, tree }
}

describe('limits', () => {
  it('the daily limit delays further candidates until the next day', () => {
    const limits = { parallel: 1, candidatesPerDay: 3 }
    const state = arrival({ limits })
    const two = step(state, finished(1)).state
    const three = step(two, finished(2), finished(3)).state
    expect([three.campaign.nextOrdinal, three.jobs.size]).toEqual([4, 0])
    expect(dispatched(tick(three, [{ type: 'timer' }], minute(24 * 60)).effects)).toEqual([4, 5])
  })

  it('a campaign pauses at every checkpoint and continues when told', () => {
    const state = arrival({ limits: { parallel: 1, checkpoint: 2 } })
    const held = step(state, finished(1), finished(2)).state
    expect(statusOf(held)).toMatchObject({ phase: 'paused', reason: 'checkpoint' })
    const on = step(held, resumed(held)).state
    expect([statusOf(on).phase, on.campaign.control.checkpointAt]).toEqual(['warm-up', 2])
    expect(statusOf(step(on, finished(3)).state).phase).toBe('warm-up')
    expect(statusOf(step(on, finished(3), finished(4)).state)).toMatchObject({ reason: 'checkpoint' })
  })

  it('raised limits apply at once and let an exhausted campaign continue', () => {
    const done = playOut(arrival({ limits: { candidates: 2 } }))
    expect(statusOf(done).phase).toBe('finished')
    const limits = { ...done.config.limits, candidates: 4 }
    const more = step(done, { type: 'limits', limits }, resumed(done, limits))
    expect(dispatched(more.effects)).toHaveLength(2)
  })

  it('a smaller budget closes planned candidates that have not started, newest first, at no cost', () => {
    const { state } = step(arrival(), { type: 'dispatched', ordinal: 1, attempt: 1, run: 77 })
    const less = step(state, { type: 'budget', limit: 'candidates', amount: 2 }).state
    expect([...less.jobs.keys()]).toEqual([1, 2])
    expect(less.ledger.tail.slice(1).map(({ ordinal, verdict }) => [ordinal, verdict])).toEqual([
      [4, { status: 'refused', reason: 'superseded' }],
      [3, { status: 'refused', reason: 'superseded' }],
    ])
    const done = playOut(less)
    expect([done.campaign.finished, statusOf(done)]).toEqual([
      2,
      { phase: 'finished', reason: 'budget-candidates' },
    ])
    const more = step(
      done,
      { type: 'budget', limit: 'candidates', amount: 3 },
      resumed(done, { ...done.config.limits, candidates: 3 }),
    )
    expect(dispatched(more.effects)).toHaveLength(1)
  })

  it('limits raised while a campaign is stopping cancel the stop', () => {
    const ending = step(arrival(), { type: 'budget', limit: 'candidates', amount: 2 }).state
    expect(ending.campaign.stopping).toBe('budget-candidates')
    const on = step(ending, { type: 'budget', limit: 'candidates', amount: 6 })
    expect([on.state.campaign.stopping, on.state.campaign.nextOrdinal]).toEqual([undefined, 7])
    expect(playOut(on.state).campaign.finished).toBe(6)
  })

  it('a smaller money budget leaves running candidates alone and cancels runs that become known too late', () => {
    const withReserved = (given: CampaignState): CampaignState => ({
      ...given,
      campaign: { ...given.campaign, reserved: { tokens: 0, dollars: 1, runnerMs: 0 } },
    })
    const state = step(withReserved(arrival({ limits: { dollars: 9 } })), {
      type: 'dispatched',
      ordinal: 1,
      attempt: 1,
      run: 77,
    }).state
    const less = step(state, { type: 'budget', limit: 'dollars', amount: 0.5 })
    expect([...less.state.jobs.keys()]).toEqual([1])
    expect(less.effects.filter(({ type }) => type === 'cancel')).toEqual([])
    const late = step(less.state, { type: 'dispatched', ordinal: 2, attempt: 1, run: 78 })
    expect(late.effects).toContainEqual({ type: 'cancel', run: 78 })
  })

  it('a limit set by command holds until the config changes the same limit', () => {
    const state = arrival({ limits: { candidates: 9, parallel: 2 } })
    const given = state.config.limits
    const spoken = step(
      state,
      { type: 'budget', limit: 'candidates', amount: 12 },
      { type: 'budget', limit: 'candidates', amount: 14 },
    ).state
    const same = step(spoken, { type: 'limits', limits: { ...given, parallel: 1 } }).state
    expect(same.config.limits).toMatchObject({ candidates: 14, parallel: 1 })
    const other = step(same, { type: 'limits', limits: { ...given, candidates: 8 } }).state
    expect(other.config.limits).toMatchObject({ candidates: 8, parallel: 2 })
    const back = step(other, { type: 'limits', limits: given }).state
    expect([back.config.limits.candidates, back.campaign.control.spoken]).toEqual([9, undefined])
  })

  it('a dry run ends after the baseline', () => {
    const state = arrival({ limits: { dryRun: true } })
    expect(statusOf(state)).toEqual({ phase: 'finished', reason: 'dry-run' })
    expect(state.jobs.size).toBe(0)
    const on = step(state, resumed(state, { ...state.config.limits, dryRun: false }))
    expect(dispatched(on.effects)).toEqual([1, 2, 3, 4])
  })

  it('a campaign pauses after three consecutive infrastructure failures', () => {
    const broken = aFailure({ reason: 'infrastructure', detail: 'run 7 was lost' })
    const { state } = step(arrival(), finished(1, broken), finished(2, broken), finished(3, broken))
    expect(statusOf(state)).toMatchObject({ phase: 'paused', reason: 'same-failure' })
  })

  it('a campaign pauses after five similar agent failures, whatever fails in between', () => {
    const wrongKey = (id: number) =>
      aFailure({ reason: 'agent-failed', detail: `401: no such key (request req_9f${id}ab after ${id} ms)` })
    let state = arrival()
    for (let ordinal = 1; ordinal <= 6; ordinal++) {
      expect(statusOf(state).phase).not.toBe('paused')
      const result = ordinal === 3 ? aFailure({ reason: 'no-change' }) : wrongKey(ordinal)
      state = step(state, finished(ordinal, result)).state
    }
    expect(statusOf(state)).toEqual({
      phase: 'paused',
      reason: 'same-failure',
      detail: '5 candidates ended alike with agent-failed: …: no such key (request … after … ms)',
    })
    const again = step(state, resumed(state)).state
    expect(again.campaign.search.sameFailure).toEqual({ count: 0 })
  })

  it('different agent failures, or a success in between, do not pause a campaign', () => {
    const failure = (detail: string) => aFailure({ reason: 'agent-failed', detail })
    let state = arrival()
    for (const [index, word] of ['a', 'b', 'c', 'd', 'e'].entries())
      state = step(state, finished(index + 1, failure(`the tool ${word} failed`))).state
    for (let ordinal = 6; ordinal <= 13; ordinal++)
      state = step(state, finished(ordinal, ordinal === 10 ? scored(10, 3) : failure('no key'))).state
    expect(statusOf(state).phase).not.toBe('paused')
  })
})

describe('the direction', () => {
  const direction = { issue: 3, title: 'Faster', body: 'Please.' }

  it('follows the issue, and is nothing where no issue started the campaign', () => {
    const told: CampaignEvent = { type: 'direction', title: 'Smaller', body: 'Instead.' }
    const { state } = step(aCampaign({ order: 'arrival', direction }), told)
    expect(state.campaign.control.direction).toEqual({ issue: 3, title: 'Smaller', body: 'Instead.' })
    expect(step(arrival(), told).state.campaign.control.direction).toBeUndefined()
    const placed = step(arrival(), { ...told, issue: 7 }).state.campaign.control.direction
    expect(placed).toEqual({ issue: 7, title: 'Smaller', body: 'Instead.' })
  })
})

describe('a hold', () => {
  const HOLD: CampaignEvent = { type: 'hold', reason: 'issue', detail: 'the label was removed' }

  it('pauses with its reason, and starts nothing', () => {
    const { state, effects } = step(arrival(), HOLD)
    expect(statusOf(state)).toEqual({ phase: 'paused', reason: 'issue', detail: 'the label was removed' })
    expect(typesOf(effects)).toEqual(['report'])
  })

  it("a hold does not hide a person's own pause", () => {
    const paused = step(arrival(), { type: 'command', command: 'pause', detail: 'by wendy' }).state
    expect(statusOf(step(paused, HOLD).state)).toMatchObject({ reason: 'command' })
  })
})

describe('a promoted candidate', () => {
  const promoted = step(step(arrival(), finished(1, scored(1, 3))).state, PROMOTE)

  it('a promoted candidate is measured again first, outside the candidate budget', () => {
    const [job] = promoted.effects.flatMap((effect) => (effect.type === 'dispatch' ? [effect.job] : []))
    expect(job).toMatchObject({ kind: 'confirm', parent: refOf(1) })
    expect(promoted.state.campaign.control.pulls).toMatchObject([{ status: 'confirming', askedBy: 'wendy' }])
    const done = playOut(promoted.state)
    expect(done.campaign.finished).toBe(20)
    expect(done.ledger.count).toBe(22 + done.campaign.control.confirmed - 1)
  })

  it('becomes a pull request when that went well, is asked for until it is open, and only once', () => {
    const ordinal = promoted.state.campaign.nextOrdinal - 1
    const confirmed = step(promoted.state, finished(ordinal, scored(1, 3)))
    const open = confirmed.effects.filter(({ type }) => type === 'open-pull')
    expect(open).toMatchObject([
      { pull: { candidate: { ordinal: 1 }, confirmation: { metrics: { score: 3 } } } },
    ])
    expect(typesOf(step(confirmed.state, { type: 'timer' }).effects)).toContain('open-pull')
    const opened = step(confirmed.state, { type: 'pull', ordinal: 1, status: 'open', number: 12 })
    expect(typesOf(opened.effects)).not.toContain('open-pull')
    expect(step(opened.state, PROMOTE).state.campaign.control.pulls).toMatchObject([{ number: 12 }])
  })

  it('a promoted candidate that cannot be measured again is refused with the reason', () => {
    const ordinal = promoted.state.campaign.nextOrdinal - 1
    const { state } = step(promoted.state, finished(ordinal, aFailure()))
    expect(state.campaign.control.pulls).toMatchObject([
      { status: 'refused', detail: 'it could not be confirmed: gate-failed: exit code 1' },
    ])
  })

  it('waits while as many pull requests are open as may be', () => {
    const first = [finished(1, scored(1, 3)), finished(2, scored(2, 3))]
    const state = step(arrival({ limits: { openPulls: 1 } }), ...first).state
    const both = step(state, PROMOTE, { ...PROMOTE, candidate: refOf(2) }).state
    const [one = 0, two = 0] = [...both.jobs.values()].flatMap((job) =>
      job.kind === 'confirm' ? [job.ordinal] : [],
    )
    const results = [finished(one, scored(1, 3)), finished(two, scored(2, 3))]
    const { effects } = stepWithHistory(both, ...results)
    expect(effects.filter(({ type }) => type === 'open-pull')).toHaveLength(1)
  })

  it('a promoted candidate is measured even if the campaign is paused', () => {
    const paused = step(step(arrival(), finished(1)).state, { type: 'command', command: 'pause', detail: '' })
    expect(dispatched(step(paused.state, PROMOTE).effects)).toHaveLength(1)
  })
})

describe("people's verdicts", () => {
  const withPull = (status: 'merged' | 'closed') => {
    const { state } = step(step(arrival(), finished(1, scored(1, 3))).state, PROMOTE)
    const ordinal = state.campaign.nextOrdinal - 1
    const open = step(state, finished(ordinal, scored(1, 3)), {
      type: 'pull',
      ordinal: 1,
      status: 'open',
      number: 9,
    })
    return step(open.state, { type: 'pull', ordinal: 1, status })
  }

  it('a closed pull request declines the candidate, a merged one does not', () => {
    expect(withPull('closed').state.campaign.control).toMatchObject({
      declined: [1],
      pulls: [{ status: 'closed' }],
    })
    expect(withPull('merged').state.campaign.control).toMatchObject({
      declined: [],
      pulls: [{ status: 'merged' }],
    })
  })

  it('late events of an earlier pull request of the same candidate are ignored', () => {
    const { state } = withPull('closed')
    const again = step(state, PROMOTE).state
    const late: CampaignEvent = { type: 'pull', ordinal: 1, status: 'closed', number: 9 }
    expect(step(again, late).state.campaign.control).toMatchObject({
      declined: [],
      pulls: [{ status: 'confirming' }],
    })
    const opened = step(again, finished(again.campaign.nextOrdinal - 1, scored(1, 3)), {
      type: 'pull',
      ordinal: 1,
      status: 'open',
      number: 12,
    }).state
    expect(step(opened, late).state.campaign.control).toMatchObject({
      declined: [],
      pulls: [{ status: 'open', number: 12 }],
    })
    expect(step(opened, { ...late, number: 12 }).state.campaign.control.declined).toEqual([1])
  })

  it('keep a declined candidate from being a parent and from being offered at the end', () => {
    const config = { search: { warmUp: 1 }, limits: { candidates: 30, parallel: 1 } }
    const state = step(arrival(config), finished(1, scored(1, 9)), { type: 'discard', ordinal: 1 }).state
    const done = playOut(state, ({ ordinal }) => scored(ordinal, 1))
    const later = done.ledger.tail.filter(({ ordinal }) => ordinal > 4)
    expect(later.every(({ parent }) => parent !== 1)).toBe(true)
    expect(done.campaign.control.pulls).toEqual([])
  })

  it('close the pull request of a discarded candidate', () => {
    const { state } = step(step(arrival(), finished(1)).state, PROMOTE)
    const ordinal = state.campaign.nextOrdinal - 1
    const open = step(state, finished(ordinal), { type: 'pull', ordinal: 1, status: 'open', number: 9 }).state
    // Once: the tick that asks for the history leaves it to the one that gets it.
    const asking = step(open, { type: 'discard', ordinal: 1 }).effects.map(({ type }) => type)
    expect([asking.includes('need-history'), asking.includes('close-pull')]).toEqual([true, false])
    expect(stepWithHistory(open, { type: 'discard', ordinal: 1 }).effects).toContainEqual({
      type: 'close-pull',
      pull: expect.objectContaining({ number: 9 }),
    })
  })
})

describe('the end of a campaign on GitHub', () => {
  const better = (limits = {}) =>
    playOut(arrival({ limits: { candidates: 3, ...limits } }), ({ ordinal, kind, parent }) =>
      kind === 'confirm' ? scored(parent.ordinal, parent.ordinal) : scored(ordinal, ordinal),
    )

  it('confirms the best candidate and offers it', () => {
    const { campaign } = better()
    expect(campaign.status).toEqual({ phase: 'finished', reason: 'budget-candidates' })
    expect(campaign.control.pulls).toMatchObject([{ status: 'confirmed', candidate: { ordinal: 3 } }])
  })

  it('offers nothing that does not hold up when measured again', () => {
    const done = playOut(arrival({ limits: { candidates: 3 } }), ({ ordinal, kind }) =>
      kind === 'confirm' ? BASELINE : scored(ordinal, ordinal),
    )
    expect(done.campaign.control.pulls).toMatchObject([
      { status: 'refused', detail: 'measured again, it is not better than the baseline' },
    ])
  })

  it('offers nothing where no pull request may be opened', () => {
    expect(better({ openPulls: 0 }).campaign.control.pulls).toEqual([])
  })
})

describe('check runs', () => {
  it('every measured candidate is owed a check run until it is written', () => {
    const { state, effects } = step(arrival(), finished(1), finished(2, aFailure()))
    expect(effects.filter(({ type }) => type === 'check')).toEqual([{ type: 'check', ordinal: 1 }])
    const done = step(state, { type: 'checked', ordinal: 1 })
    expect(typesOf(done.effects)).not.toContain('check')
  })
})

describe('a retry', () => {
  it('plans a failed candidate again under a new number', () => {
    const state = step(arrival(), finished(1, aFailure())).state
    const { ordinal: _ordinal, ...parent } = anElite({ ordinal: 0 })
    const plan = {
      operator: 'mutate',
      parent: { ordinal: 0, commit: parent.commit, tree: parent.tree },
    } as const
    const { effects } = step(state, { type: 'plan-again', plan: { ...plan, inspirations: [] } })
    expect(dispatched(effects)).toEqual([6])
  })

  it('counts as one of the day’s candidates, and is not planned when the day has none left', () => {
    const start = step(arrival({ limits: { candidatesPerDay: 5 } }), { type: 'timer' }).state
    const planned = () => state.campaign.control.day?.planned
    let state = start
    const plan = { operator: 'mutate', parent: refOf(0), inspirations: [] } as const
    const before = planned()
    state = step(state, { type: 'plan-again', plan }).state
    expect([before, planned()]).toEqual([4, 5])
    const { state: after } = step(state, { type: 'plan-again', plan })
    expect(after.campaign.nextOrdinal).toBe(state.campaign.nextOrdinal)
  })

  it('a repeated measurement does not move the candidate', () => {
    const before = step(arrival(), finished(1, scored(1, 2))).state
    const { state } = step(before, { type: 'measure-again', candidate: refOf(1) })
    const ordinal = state.campaign.nextOrdinal - 1
    const after = step(state, finished(ordinal, scored(1, 2))).state
    expect(after.archive).toBe(before.archive)
    expect(after.ledger.tail.at(-1)?.verdict).toEqual({ status: 'confirmed', of: 1 })
  })
})
