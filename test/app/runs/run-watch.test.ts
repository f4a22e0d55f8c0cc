import { describe, expect, it } from 'vitest'
import { bindingOf, JobRuns } from '../../../src/app/runs/job-runs.ts'
import { RunWatch } from '../../../src/app/runs/run-watch.ts'
import { PRODUCTION_SETTINGS } from '../../../src/app/server/settings.ts'
import type { CampaignState } from '../../../src/core/campaign/campaign.ts'
import type { RunFacts } from '../../../src/github/runs/runs.ts'
import { renderRunName } from '../../../src/protocol/dispatch.ts'
import { aGitHub, aQuickClock } from '../../github/support.ts'
import { aCampaign } from '../../support/builders.ts'
import { begun } from '../../support/campaign-steps.ts'

const NOW = Date.parse('2026-01-01T12:00:00Z')
const HOUR_MS = 3_600_000
const state = begun(aCampaign({ id: 'demo', order: 'arrival' }))
/** The first candidate as it waits, and as the state knows its run. */
const [waiting] = [...state.jobs.values()]
const withRun = (run: number): CampaignState => ({
  ...state,
  jobs: new Map([...state.jobs].map(([ordinal, job]) => [ordinal, job === waiting ? { ...job, run } : job])),
})

function aRun(id: number, changes: Partial<RunFacts> = {}): RunFacts {
  const title = waiting === undefined ? '' : renderRunName(bindingOf(state, waiting))
  const createdAt = new Date(NOW - 1000).toISOString()
  const facts = {
    repositoryId: 1,
    path: '',
    branch: null,
    sha: '',
    event: '',
    actors: [],
    attempt: 1,
    url: '',
  }
  return { id, title, status: 'in_progress', conclusion: null, createdAt, ...facts, ...changes }
}

const long = { createdAt: new Date(NOW - 48 * HOUR_MS).toISOString() }
const CASES: readonly [string, CampaignState, readonly RunFacts[], readonly string[]][] = [
  ['nothing, as long as there is no run', state, [], []],
  ['to note a run that the state does not know', state, [aRun(7)], ['note 7']],
  ['nothing while a known run goes on', withRun(7), [aRun(7)], []],
  ['to read a run that ended', withRun(7), [aRun(7, { status: 'completed' })], ['read 7']],
  [
    'to withdraw a run that waits for an approval',
    state,
    [aRun(7, { ...long, status: 'waiting' })],
    ['withdraw 7'],
  ],
  ['to end a run that does not end', withRun(7), [aRun(7, long)], ['end 7']],
  ['to give a run up that is gone', withRun(7), [], ['lose 7']],
  ['to take the oldest of two, and cancel the other', state, [aRun(8), aRun(7)], ['note 7', 'cancel 8']],
  ['to keep the one in the state, though another is older', withRun(8), [aRun(8), aRun(7)], ['cancel 7']],
  ['to book a double that ended', withRun(7), [aRun(8, { status: 'completed' }), aRun(7)], ['book 8']],
  [
    'nothing about runs with other names',
    withRun(7),
    [aRun(7), aRun(9, { title: 'loreley candidate demo-0001 x' })],
    [],
  ],
]

describe('what is decided about runs', () => {
  it.each(CASES)('it is decided %s', async (_what, given, runs, expected) => {
    const github = await aGitHub()
    const ports = { api: github.api(), clock: aQuickClock(NOW), settings: PRODUCTION_SETTINGS }
    const watch = new RunWatch(ports, new JobRuns(ports, () => true), () => true)
    const decided = watch.decide(given, runs).map((action) => {
      const run = 'run' in action ? action.run : 0
      return `${action.type} ${typeof run === 'number' ? run : run.id}`
    })
    expect(decided).toEqual(expected)
    expect(github.sent, 'to decide costs no request').toEqual([])
  })
})
