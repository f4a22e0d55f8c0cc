import { expect, it } from 'vitest'
import type { Evidence } from '../../../src/app/reconcile/evidence.ts'
import { RepositoryReconciler } from '../../../src/app/reconcile/repository-reconciler.ts'
import { Comments } from '../../../src/github/issues/comments.ts'
import { dashboardsOn, ledgerOf, press, say } from '../../e2e/app-scene.ts'
import { REPO } from '../../sandbox/support.ts'
import { load } from '../../support/store.ts'
import { aRepository, type TestRepository } from '../a-repository.ts'
import { label } from '../support.ts'
import { aScenario, CONFIG, untilPhase } from './scenario.ts'

const WENDY = { login: 'wendy', isBot: false }
const ONE_CANDIDATE = CONFIG.replace('candidates: 3, parallel: 2', 'candidates: 1, parallel: 1, open_prs: 0')
const ISSUE = { number: 1, title: 'Faster, please', body: 'Try hard.', isPull: false }

/** Wendy puts the label on issue 1, and the app hears of it. */
async function begin({ github, tell }: TestRepository): Promise<void> {
  await label(github.box)
  await tell({ type: 'labelled', issue: ISSUE, label: 'loreley' }, WENDY)
}

it('two processes that show a dashboard at the same time end with one of them', async () => {
  const repository = await aRepository()
  const { github, host, tools } = repository
  await begin(repository)
  const [shown] = await dashboardsOn(github.box, 1)
  const other = new RepositoryReconciler({ ...tools, comments: blindFor(tools, 1) })
  await other.reconcile()
  expect(await dashboardsOn(github.box, 1), 'it did not see the other').toHaveLength(2)
  for (const command of ['pause', 'resume']) {
    const comment = await say(github.box, 'wendy', 1, `/loreley ${command}`)
    const event = { type: 'commented', issue: ISSUE, comment, body: `/loreley ${command}` } as const
    await (command === 'pause' ? other : host).reconcile([{ event, sender: WENDY }])
    await tools.clock.sleep(tools.settings.reportMs)
    await other.reconcile()
    await host.reconcile()
  }
  const left = await dashboardsOn(github.box, 1)
  expect(left.map(({ id }) => id)).toEqual([shown?.id])
  expect(left[0]?.body).not.toContain('Paused')
})

/** Comments of a process to which GitHub does not show its dashboards so many times. */
function blindFor({ api }: TestRepository['tools'], times: number): Comments {
  const comments = new Comments(api, 'tester[bot]')
  const find = comments.findSticky.bind(comments)
  let left = 2 * times
  comments.findSticky = async (...given) => (left-- > 0 ? undefined : await find(...given))
  return comments
}

it('labels that flap are folded into the last word', async () => {
  const repository = await aRepository()
  const { github, host, tools } = repository
  await begin(repository)
  const { issues } = github.box.as('wendy').rest
  const target = { ...REPO, issue_number: 1 }
  const told: Evidence[] = []
  for (let flap = 0; flap < 20; flap++) {
    await tools.clock.sleep(1000)
    const at = new Date(tools.clock.now()).toISOString()
    await issues.removeLabel({ ...target, name: 'loreley' })
    const label = 'loreley'
    told.push({ event: { type: 'issue-changed', issue: ISSUE, how: 'unlabeled', label, at }, sender: WENDY })
    await issues.addLabels({ ...target, labels: ['loreley'] })
    told.push({ event: { type: 'labelled', issue: ISSUE, label, at }, sender: WENDY })
  }
  const before = Number(github.git('rev-list', '--count', 'loreley/state'))
  await host.reconcile(told)
  const commits = Number(github.git('rev-list', '--count', 'loreley/state')) - before
  expect(commits, 'it pauses, resumes, and notes its run').toBeLessThanOrEqual(3)
  const { state } = await load(github.store(), 'default-1')
  expect(state.campaign.status).toEqual({ phase: 'baseline' })
})

it('a button whose answer cannot be written is obeyed once', async () => {
  const scenario = await aScenario('with every webhook dropped', ONE_CANDIDATE)
  const { github } = scenario
  await label(github.box)
  await untilPhase(scenario, 'finished')
  await scenario.settle()
  await press(github.box, 'wendy', 'default-1-0001', 'retry')
  const confirmations = async () =>
    (await ledgerOf(github.box)).filter(({ kind }) => kind === 'confirm').length
  const before = await confirmations()
  // An answer on the issue is refused, and so is the check run that would say it.
  scenario.refusals.set('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', 403)
  scenario.refusals.set('POST /repos/{owner}/{repo}/check-runs', 403)
  for (let calls = 0; calls < 4; calls++) {
    await scenario.call().catch(() => undefined)
    await scenario.sleep(60_000)
  }
  await scenario.settle()
  expect(await confirmations()).toBe(before + 1)
})

it('a run that somebody runs again by hand is withdrawn, and its candidate measured in a run of its own', async () => {
  const scenario = await aScenario('with every webhook dropped', ONE_CANDIDATE)
  const { github, runner, until } = scenario
  runner.holdAfter = 1
  await label(github.box)
  await until('the candidate waits', async () => runner.waiting > 0)
  const [run] = runner.heldRuns
  runner.release()
  await runner.idle()
  await github.box.as('wendy').rest.actions.reRunWorkflow({ ...REPO, run_id: run?.id ?? 0 })
  await runner.idle()
  await untilPhase(scenario, 'finished')
  const entries = (await ledgerOf(github.box)).filter(({ ordinal }) => ordinal === 1)
  expect(entries).toMatchObject([{ attempt: 2, verdict: { status: 'admitted' } }])
})
