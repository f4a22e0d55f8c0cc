import { describe, expect, it } from 'vitest'
import { decideSlot } from '../../../src/app/campaign/schedule.ts'
import { decideConfigCheck } from '../../../src/app/config/config-checks.ts'
import { decideConfig } from '../../../src/app/config/reconfigure.ts'
import { decideAnswer, decideConfigIssue, decideTelling } from '../../../src/app/config/repository-config.ts'
import { renderConfigIssue } from '../../../src/reports/issues/config-issue.ts'
import { aCampaign, aConfig } from '../../support/builders.ts'

const NOTHING = { type: 'nothing' }

describe('the section of a running campaign', () => {
  const { limits, ...stored } = aConfig()
  const state = aCampaign({ id: 'demo', order: 'arrival' })
  const decide = (changes: object) =>
    decideConfig(state, { ...stored, limits }, { ...stored, limits, ...changes })
  const islands = { search: { ...stored.search, islands: stored.search.islands + 1 } }
  const obstacle = expect.stringContaining('search.islands')

  it.each([
    ['no change asks for nothing', {}, NOTHING],
    ['another goal is taken over', { goal: 'Smaller.' }, { type: 'reconfigure' }],
    ['a fixed key is an obstacle', islands, { type: 'limits', isNew: false, obstacle }],
    [
      'new limits count beside a fixed key',
      { ...islands, limits: { ...limits, candidates: 99 } },
      { type: 'limits', isNew: true, obstacle },
    ],
  ])('%s', (_claim, changes, action) => {
    expect(decide(changes)).toEqual(action)
  })
})

describe('the issue about obstacles', () => {
  const body = renderConfigIssue(['No workflow.'])
  const open = { number: 5, state: 'open', body }
  const closed = { ...open, state: 'closed' }
  const both = renderConfigIssue(['No workflow.', 'No key.'])
  const fresh = { type: 'open', body }
  const edit = (changes: object) => ({ type: 'edit', number: 5, changes })

  it.each([
    ['no issue is opened without obstacles', undefined, [], NOTHING],
    ['the first obstacle opens an issue', undefined, ['No workflow.'], fresh],
    ['an open issue is not repeated', open, ['No workflow.'], NOTHING],
    ['a closed issue with the same text was read', closed, ['No workflow.'], NOTHING],
    ['another obstacle changes the open issue', open, ['No workflow.', 'No key.'], edit({ body: both })],
    ['a mended config closes the issue', open, [], edit({ state: 'closed', body: expect.any(String) })],
    ['a closed issue stays closed without obstacles', closed, [], NOTHING],
  ])('%s', (_claim, issue, obstacles, action) => {
    expect(decideConfigIssue(issue, obstacles)).toEqual(action)
  })

  it('an issue that lists an obstacle among others says it already', () => {
    expect(decideTelling({ ...open, body: both }, ['No key.'])).toEqual(NOTHING)
    expect(decideTelling(undefined, ['No workflow.'])).toEqual(fresh)
  })

  it('a new request opens an issue again that was closed without a fix', () => {
    expect(decideAnswer(closed, ['No workflow.'])).toEqual(edit({ state: 'open' }))
    expect(decideAnswer(open, ['No workflow.'])).toEqual(NOTHING)
  })
})

describe('the config in a pull request', () => {
  const head = { number: 3, headSha: 'abc' }

  it('a head that is settled needs no check run', () => {
    expect(decideConfigCheck(head, { status: 'settled' })).toBeUndefined()
  })

  it.each([
    ['a removed config is neutral', undefined, 'neutral', false],
    ['a broken config fails with a remark', 'goal: 7\n', 'failure', true],
  ])('%s', (_claim, text, conclusion, hasRemarks) => {
    const report = decideConfigCheck(head, { status: 'unchecked', text })
    expect(report).toMatchObject({ sha: 'abc', conclusion })
    expect(report?.annotations?.some(({ line }) => line === 1)).toBe(hasRemarks)
  })
})

describe('a slot of the schedule', () => {
  const SLOT = Date.parse('2026-11-17T03:00:00Z')
  const [earlier, own] = ['nightly-202611160300', 'nightly-202611170300']
  const direction = { issue: 4, title: 'Nightly', body: '' }
  const paused = (reason: 'preflight' | 'command') => ({ phase: 'paused', reason, detail: '' }) as const
  const of = (id: string, status: 'running' | 'finished' | 'preflight' | 'command', control = {}) => ({
    id,
    status:
      status === 'running'
        ? ({ phase: 'baseline' } as const)
        : status === 'finished'
          ? ({ phase: 'finished', reason: 'budget-candidates' } as const)
          : paused(status),
    control: { direction, ...control },
  })

  it.each([
    ['the first slot starts a campaign', [], [{ type: 'start', id: own }]],
    ['a slot starts one campaign', [of(own, 'finished')], []],
    ['a finished campaign makes room', [of(earlier, 'finished')], [{ type: 'start', id: own }]],
    ['a running campaign goes on', [of(earlier, 'running')], []],
    ['a temporary fault is over', [of(earlier, 'preflight')], [{ type: 'resume', id: earlier }]],
    ['a pause by people stays', [of(earlier, 'command')], []],
    ['a slot resumes once', [of(earlier, 'preflight', { resumedAt: '2026-11-17T03:00:00Z' })], []],
    ['a slot does not resume its own campaign', [of(own, 'preflight')], []],
    [
      'a campaign without an issue gets one',
      [of(own, 'running', { direction: undefined })],
      [{ type: 'show', id: own }],
    ],
  ])('%s', (_claim, campaigns, actions) => {
    expect(decideSlot('nightly', SLOT, campaigns)).toEqual(actions)
  })
})
