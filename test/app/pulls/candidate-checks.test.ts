import { expect, it } from 'vitest'
import { CandidateChecks } from '../../../src/app/pulls/candidate-checks.ts'
import { Recent } from '../../../src/github/api/recent.ts'
import { NO_FAULTS } from '../../../src/sandbox/settings.ts'
import { aGitHub, aQuickClock } from '../../github/support.ts'
import { REPO } from '../../sandbox/support.ts'
import { aCampaign, aConfig, anObjectId, aResult, ROOT } from '../../support/builders.ts'
import { BASELINE, finished, step } from '../../support/campaign-steps.ts'
import { commit } from '../../support/store.ts'

const NONE: ReadonlySet<number> = new Set()
const config = aConfig({ search: { window: 4, cells: 16 } })

/** A campaign with three measured candidates, and what writes their check runs. */
async function aScene(commitOf: (ordinal: number) => string | undefined) {
  const github = await aGitHub()
  const main = { commit: github.git('rev-parse', 'main') }
  let { state } = step(
    aCampaign({ config, root: { ...ROOT, ...main } }),
    finished(0, { ...BASELINE, ...main }),
  )
  for (const ordinal of [1, 2, 3])
    state = step(
      state,
      finished(ordinal, aResult(ordinal, { commit: commitOf(ordinal) ?? main.commit })),
    ).state
  const store = github.store()
  const log: string[] = []
  const tools = {
    api: github.api({ clock: aQuickClock() }),
    store,
    plans: new Recent<string>(10),
    webUrl: 'https://example.com/acme/demo',
    log: (_level: string, message: string) => void log.push(message),
  }
  const refreshed: number[] = []
  const pulls = { refresh: async (_snapshot: unknown, ordinal: number) => void refreshed.push(ordinal) }
  const snapshot = await commit(store, undefined, state, config)
  const names = async () => {
    const { data } = await github.octokit.rest.checks.listForRef({ ...REPO, ref: 'main', filter: 'all' })
    return data.check_runs.map(({ external_id }) => external_id).sort()
  }
  const another = () => new CandidateChecks(tools, pulls)
  return { github, checks: another(), another, snapshot, log, refreshed, names }
}

it('writes the check runs of a step in one request, and knows them when they are renewed', async () => {
  const { github, checks, snapshot, names, refreshed } = await aScene(() => undefined)
  const first = await github.count(() => checks.write(snapshot, [1, 2, 3], new Set([1, 2, 3])))
  expect(first).toEqual({ 'graphql write check runs': 1 })
  expect(await github.count(() => checks.write(snapshot, [2, 3], NONE))).toEqual({
    'graphql write check runs': 1,
  })
  expect(await names()).toEqual(['demo-0001', 'demo-0002', 'demo-0003'])
  expect(refreshed).toEqual([1, 2, 3, 2, 3])
})

it('writes the others when GitHub refuses one', async () => {
  const gone = anObjectId('a commit that nobody has')
  const { checks, snapshot, names, log } = await aScene((ordinal) => (ordinal === 2 ? gone : undefined))
  expect(await checks.write(snapshot, [1, 2, 3], new Set([1, 2, 3]))).toEqual([1, 3])
  expect(await names(), 'each once').toEqual(['demo-0001', 'demo-0003'])
  expect(log).toEqual(['a check run could not be written'])
})

it('writes none twice when its answer was lost, whoever writes next', async () => {
  const { github, snapshot, names, another, checks } = await aScene(() => undefined)
  github.box.settings.faults = { ...NO_FAULTS, failAfter: 1 }
  expect(await checks.write(snapshot, [1, 2], new Set([1, 2])), 'nobody knows').toEqual([])
  github.box.settings.faults = NO_FAULTS
  expect(await another().write(snapshot, [1, 2, 3], NONE)).toEqual([1, 2, 3])
  expect(await checks.write(snapshot, [1, 2, 3], NONE)).toEqual([1, 2, 3])
  expect(await names()).toEqual(['demo-0001', 'demo-0002', 'demo-0003'])
})
