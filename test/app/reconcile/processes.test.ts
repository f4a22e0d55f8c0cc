import { expect, it } from 'vitest'
import { dashboardOn, ledgerOf, stateOf } from '../../e2e/app-scene.ts'
import { REPO } from '../../sandbox/support.ts'
import { label } from '../support.ts'
import { aScenario, CONFIG, untilPhase } from './scenario.ts'

const DISPATCH = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches'

it.each([
  ['that ended with a draft', CONFIG],
  ['that opens no pull requests', CONFIG.replace('candidates: 3', 'candidates: 3, open_prs: 0')],
])('an idle reconcile from cold makes at most 12 requests for a campaign %s', async (_which, config) => {
  const scenario = await aScenario('as a chain of processes that each reconcile once', config)
  const { github } = scenario
  const issue = await label(github.box)
  await untilPhase(scenario, 'finished')
  if (config === CONFIG)
    await scenario.until('the draft is shown', async () => {
      return (await dashboardOn(github.box, issue)).body.includes('#')
    })
  await scenario.settle()
  expect((await stateOf(github.box))?.control.unchecked).toEqual([])
  const counts = await github.count(() => scenario.call())
  expect(
    Object.values(counts).reduce((sum, count) => sum + count, 0),
    JSON.stringify(counts),
  ).toBeLessThanOrEqual(12)
})

it.each([1, 25])(
  'a campaign goes on though every process is followed by another after %i s',
  async (seconds) => {
    const scenario = await aScenario('as a chain of processes that each reconcile once')
    const { github, runner } = scenario
    await label(github.box)
    const isFinished = async () => (await stateOf(github.box))?.status.phase === 'finished'
    for (let calls = 0; calls < 14 && !(await isFinished()); calls++) {
      await scenario.call()
      await scenario.sleep(seconds * 1000)
    }
    expect(await stateOf(github.box)).toMatchObject({ finished: 6, status: { phase: 'finished' } })
    const names = runner.started.map(({ displayTitle }) => displayTitle)
    expect(new Set(names).size, 'no run is started twice').toBe(names.length)
  },
)

it('a run that was dispatched twice is charged twice and counted once', async () => {
  const config = CONFIG.replace('candidates: 3, parallel: 2', 'candidates: 1, parallel: 1, open_prs: 0')
  const scenario = await aScenario('with every webhook dropped', config)
  const { github, runner, until } = scenario
  runner.holdAfter = 1
  runner.failingMs = 70_000
  await label(github.box)
  await until('a candidate waits', async () => runner.waiting > 0)
  const [first] = runner.heldRuns
  const inputs = Object(first?.payload.inputs)
  const target = { ...REPO, workflow_id: 'loreley.yml', ref: 'loreley/runner/default-1' }
  await github.octokit.rest.actions.createWorkflowDispatch({ ...target, inputs })
  await until('one of the two is cancelled', async () => runner.heldRuns.length === 1)
  runner.release()
  await untilPhase(scenario, 'finished')
  const entries = (await ledgerOf(github.box)).filter(({ ordinal }) => ordinal === 1)
  expect(entries).toMatchObject([{ usage: { runnerMs: 10 } }])
  const lines = (await ledgerOf(github.box)).reduce((sum, { usage }) => sum + usage.runnerMs, 0)
  await until('the other one is booked', async () => {
    return (await stateOf(github.box))?.used.runnerMs === lines + 70_000
  })
  await scenario.settle()
  expect(await stateOf(github.box), 'and booked once').toMatchObject({ used: { runnerMs: lines + 70_000 } })
})

it.each([
  ['far below', { reconcileMs: 1000, fullReconcileMs: 1000, startMs: 10_000 }],
  ['far above', { reconcileMs: 3_600_000, fullReconcileMs: 3_600_000 }],
])(
  'jobs of a process that died start, though the app reconciles %s the time for which it waits',
  async (_ratio, intervals) => {
    const scenario = await aScenario('with every webhook dropped', CONFIG, intervals)
    const { github, runner, until } = scenario
    scenario.refusals.set(DISPATCH, 502)
    await label(github.box)
    await until('the root is planned', async () => (await stateOf(github.box)) !== undefined)
    scenario.restart()
    scenario.refusals.clear()
    await until('its run is started', async () => runner.started.length > 0)
    await untilPhase(scenario, 'finished')
    const names = runner.started.map(({ displayTitle }) => displayTitle)
    expect(new Set(names).size, 'no run is started twice').toBe(names.length)
  },
)
