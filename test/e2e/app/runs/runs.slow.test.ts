import { expect, it } from 'vitest'
import { runs } from '../../../../src/sandbox/actions/documents.ts'
import { queueJob, startJob } from '../../../../src/sandbox/actions/runs/jobs.ts'
import { deleteRun } from '../../../../src/sandbox/actions/runs/runs.ts'
import { awaitComment, label } from '../../../app/support.ts'
import { REPO } from '../../../sandbox/support.ts'
import {
  aScene,
  ask,
  awaitPhase,
  commitFile,
  complaintsOf,
  ledgerOf,
  PATIENCE,
  stateOf,
  WORKFLOW,
  WORKFLOW_PATH,
} from '../../app-scene.ts'

it('closes candidates whose run was cancelled by hand or is gone, and releases their budget', async () => {
  const { box, runner, app } = await aScene({ limits: 'candidates: 4, parallel: 2' })
  runner.holdAfter = 1
  await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(2)
  const [cancelled, gone] = runner.heldRuns.map(({ id }) => id)
  await box.as('wendy').rest.actions.cancelWorkflowRun({ ...REPO, run_id: cancelled ?? 0 })
  const lost = runs(box.box.store).find(gone ?? 0)
  if (lost !== undefined) deleteRun(box.box, lost)
  runner.drop(gone ?? 0)
  runner.release()
  await expect.poll(async () => (await ledgerOf(box)).length, PATIENCE).toBeGreaterThanOrEqual(4)
  await app.app.watch()
  await awaitPhase(box, 'finished')
  const reasons = (await ledgerOf(box)).map(({ verdict }) => verdict.reason).filter(Boolean)
  expect(reasons).toEqual(expect.arrayContaining(['cancelled', 'infrastructure']))
  const [vanished] = (await ledgerOf(box)).filter(({ verdict }) => verdict.reason === 'infrastructure')
  expect(vanished?.verdict.detail).toBe(`run ${gone} is gone`)
}, 180_000)

it('measures a root that could not be measured again when somebody says so, and not for ever', async () => {
  const { box, runner, app, clock } = await aScene({ limits: 'candidates: 1, parallel: 1' })
  runner.instead = () => 'break-gate'
  const issue = await label(box)
  await awaitPhase(box, 'paused')
  expect((await stateOf(box))?.status).toMatchObject({ reason: 'baseline-invalid' })
  for (let round = 0; round < 3; round++) {
    clock.pass(10 * 60_000)
    await app.app.watch()
    await app.app.settled()
  }
  expect(runner.started).toHaveLength(1)
  runner.instead = undefined
  await ask(box, 'wendy', issue, '/loreley resume')
  await awaitPhase(box, 'finished')
}, 180_000)

it('cancels a run that does not end, and counts the time that its runner took', async () => {
  const { box, runner, app, clock } = await aScene({ limits: 'candidates: 1, parallel: 1' })
  runner.holdAfter = 1
  await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  const [stuck] = runner.heldRuns
  if (stuck === undefined) throw new Error('nothing is held')
  const { id } = await queueJob(box.box, stuck, { name: 'propose', labels: ['ubuntu-latest'] })
  await startJob(box.box, id, 'test')
  // Past three times what a candidate may take at the most, and half an hour.
  clock.pass(80 * 60_000)
  await app.app.watch()
  await awaitPhase(box, 'finished')
  const [entry] = (await ledgerOf(box)).filter(({ kind }) => kind === 'candidate')
  expect(entry?.verdict).toMatchObject({
    reason: 'infrastructure',
    detail: `run ${stuck.id} did not end`,
  })
  expect((await stateOf(box))?.used.runnerMs).toBeGreaterThanOrEqual(80 * 60_000)
  await expect.poll(() => runs(box.box.store).find(stuck.id)?.conclusion, PATIENCE).toBe('cancelled')
}, 180_000)

it.each([
  ['the root', 0],
  ['a candidate', 1],
])(
  'pauses and explains when the run of %s waits for an approval, and begins it again on resume',
  async (_what, holdAfter) => {
    const { box, runner, app, clock } = await aScene({ limits: 'candidates: 1, parallel: 1' })
    runner.holdAfter = holdAfter
    const issue = await label(box)
    await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
    const [held] = runner.heldRuns
    if (held === undefined) throw new Error('nothing is held')
    runs(box.box.store).put(held.id, { ...held, status: 'waiting' })
    clock.pass(121_000)
    await app.app.watch()
    await awaitPhase(box, 'paused')
    await awaitComment(box, issue, `run ${held.id} waited for an approval`)
    await expect.poll(() => runs(box.box.store).find(held.id)?.conclusion, PATIENCE).toBe('cancelled')
    for (let look = 0; look < 2; look++) {
      clock.pass(600_000)
      await app.app.watch()
      await app.app.settled()
    }
    expect(runner.heldRuns).toEqual([])

    runner.holdAfter = Number.POSITIVE_INFINITY
    await ask(box, 'wendy', issue, '/loreley resume')
    await awaitPhase(box, 'finished')
    const entries = (await ledgerOf(box)).filter(({ kind }) => kind === 'candidate')
    expect(entries.map(({ verdict }) => verdict.status)).toEqual(['admitted'])
  },
  180_000,
)

it('closes a candidate whose run waits for an approval while somebody has paused the campaign', async () => {
  const { box, runner, app, clock } = await aScene({ limits: 'candidates: 1, parallel: 1' })
  runner.holdAfter = 1
  const issue = await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  const [held] = runner.heldRuns
  if (held === undefined) throw new Error('nothing is held')
  runs(box.box.store).put(held.id, { ...held, status: 'waiting' })
  await ask(box, 'wendy', issue, '/loreley pause')
  clock.pass(80 * 60_000)
  await app.app.watch()
  await expect
    .poll(async () => (await ledgerOf(box)).at(-1)?.verdict, PATIENCE)
    .toMatchObject({ reason: 'infrastructure', detail: `run ${held.id} waited for an approval` })
}, 180_000)

it.each([
  ['starve', 'A job failed before its first step, as happens when no minutes are left'],
  ['refuse', 'The run ended before any job started.'],
] as const)(
  'pauses and explains when runs cannot begin: %s',
  async (instead, said) => {
    const { box, runner } = await aScene({ limits: 'candidates: 9, parallel: 1' })
    runner.instead = ({ payload }) => (Object(payload.inputs).kind === 'candidate' ? instead : undefined)
    const issue = await label(box)
    await awaitPhase(box, 'paused')
    expect((await stateOf(box))?.status).toMatchObject({ reason: 'same-failure' })
    await awaitComment(box, issue, said)
  },
  180_000,
)

it('trusts neither a run that somebody ran again nor one that somebody forged', async () => {
  const { box, runner } = await aScene({ limits: 'candidates: 2, parallel: 1' })
  runner.holdAfter = 1
  await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  const [real] = runner.heldRuns
  const inputs = Object(real?.payload.inputs)
  // The same inputs, by a person: it ends first, with a result of its own making.
  runner.holdAfter = Number.POSITIVE_INFINITY
  await box.as('wendy').rest.actions.createWorkflowDispatch({
    ...REPO,
    workflow_id: 'loreley.yml',
    ref: 'loreley/runner/default-1',
    inputs,
  })
  await expect.poll(() => runner.started.length, PATIENCE).toBe(2)
  await expect.poll(async () => (await stateOf(box))?.finished, PATIENCE).toBe(0)
  runner.release()
  await awaitPhase(box, 'finished')
  const before = await ledgerOf(box)
  expect(
    before.filter(({ kind }) => kind === 'candidate').map(({ verdict }) => verdict.status),
  ).not.toContain('')
  expect(before.map(({ ordinal }) => ordinal)).toEqual([...new Set(before.map(({ ordinal }) => ordinal))])
  expect(before.find(({ ordinal }) => ordinal === 1)?.verdict.reason).not.toBe('infrastructure')

  // Run again by hand: its candidate is in the ledger already, and stays as it is.
  const count = runner.started.length
  await box.as('wendy').rest.actions.reRunWorkflow({ ...REPO, run_id: real?.id ?? 0 })
  await expect.poll(() => runner.started.length, PATIENCE).toBe(count + 1)
  expect(await ask(box, 'wendy', 1, '/loreley status')).toContain('Finished')
  expect(await ledgerOf(box)).toEqual(before)
}, 180_000)

it('does not trust a run that somebody ran again, and measures its candidate in another', async () => {
  const { box, runner, app } = await aScene({ limits: 'candidates: 1, parallel: 1' })
  runner.holdAfter = 1
  await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  const [real] = runner.heldRuns
  box.settings.faults = { ...box.settings.faults, webhookLost: 1 }
  runner.release()
  await runner.idle()
  await box.as('wendy').rest.actions.reRunWorkflow({ ...REPO, run_id: real?.id ?? 0 })
  await runner.idle()
  box.settings.faults = { ...box.settings.faults, webhookLost: 0 }
  await app.app.watch()
  await awaitPhase(box, 'finished')
  const entry = (await ledgerOf(box)).find(({ ordinal }) => ordinal === 1)
  expect(entry).toMatchObject({ attempt: 2, verdict: { status: 'admitted' } })
  expect(entry?.run).not.toBe(real?.id)
}, 180_000)

it('pauses when the workflow file goes, says what to do, and goes on when it is back', async () => {
  const { box, runner } = await aScene({ limits: 'candidates: 3, parallel: 1' })
  runner.holdAfter = 1
  const issue = await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  await commitFile(box, WORKFLOW_PATH, undefined)
  await expect
    .poll(() => complaintsOf(box), PATIENCE)
    .toEqual([expect.stringContaining('There is no workflow')])
  runner.release()
  await awaitPhase(box, 'paused')
  expect((await stateOf(box))?.status).toMatchObject({
    reason: 'preflight',
    detail: expect.stringContaining('There is no workflow `.github/workflows/loreley.yml`'),
  })
  await awaitComment(box, issue, 'loreley init --github')
  await commitFile(box, WORKFLOW_PATH, WORKFLOW)
  await expect.poll(() => complaintsOf(box), PATIENCE).toEqual([])
  await ask(box, 'wendy', issue, '/loreley resume')
  await awaitPhase(box, 'finished')
}, 180_000)

it.each(['removed', 'disabled'])(
  'asks for a workflow that was %s though no webhook told of it',
  async (how) => {
    const { box, runner, app } = await aScene({ limits: 'candidates: 3, parallel: 1' })
    const { actions } = box.as('olivia').rest
    const workflow = { ...REPO, workflow_id: 'loreley.yml' }
    runner.holdAfter = 1
    await label(box)
    await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
    box.settings.faults = { ...box.settings.faults, webhookLost: 1 }
    if (how === 'removed') await commitFile(box, WORKFLOW_PATH, undefined)
    else await actions.disableWorkflow(workflow)
    runner.release()
    await runner.idle()
    const look = async () => {
      await app.app.watch()
      await app.app.settled()
      return await complaintsOf(box)
    }
    await expect.poll(look, PATIENCE).toEqual([expect.stringContaining(WORKFLOW_PATH)])

    if (how === 'removed') await commitFile(box, WORKFLOW_PATH, WORKFLOW)
    else await actions.enableWorkflow(workflow)
    await expect.poll(look, PATIENCE).toEqual([])
  },
  180_000,
)

it('takes no old run for one of a campaign that begins again under the same name', async () => {
  const { box, runner } = await aScene({ limits: 'candidates: 2, parallel: 1' })
  const issue = await label(box)
  await awaitPhase(box, 'finished')
  const old = runner.started.length
  await box.as('olivia').rest.git.deleteRef({ ...REPO, ref: 'heads/loreley/state' })
  expect(await ask(box, 'wendy', issue, '/loreley start')).toBe('✅ default-1 has started.')
  await awaitPhase(box, 'finished')
  expect(runner.started).toHaveLength(2 * old)
  const names = runs(box.box.store)
    .all()
    .map(({ displayTitle }) => displayTitle)
  expect(new Set(names).size).toBe(names.length)
}, 180_000)
