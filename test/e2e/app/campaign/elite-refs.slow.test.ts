import { expect, it } from 'vitest'
import { PERMISSIONS } from '../../../../src/github/installation/repository-transport.ts'
import { acceptPermissions } from '../../../../src/sandbox/apps/installation-routes.ts'
import { getUser } from '../../../../src/sandbox/state/lookups.ts'
import { label } from '../../../app/support.ts'
import { REPO, type TestBox } from '../../../sandbox/support.ts'
import {
  aConfigFile,
  answersOn,
  aScene,
  ask,
  awaitPhase,
  commitFile,
  dashboardOn,
  ledgerOf,
  PATIENCE,
  stateOf,
} from '../../app-scene.ts'

const LIMITS = 'candidates: 4, parallel: 1'

async function elitesIn(box: TestBox, place: 'heads/loreley' | 'loreley'): Promise<string[]> {
  const { data } = await box
    .as('rita')
    .rest.git.listMatchingRefs({ ...REPO, ref: `${place}/elite/default-1/` })
  return data.map(({ ref }) => ref.replace(/^.*default-1\//, ''))
}

it('keeps elites off the branches where those would be deployed, says why, and obeys the config', async () => {
  const { box, runner } = await aScene({ limits: LIMITS, files: { 'vercel.json': '{}\n' } })
  runner.holdAfter = 4
  const issue = await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  await expect.poll(async () => (await elitesIn(box, 'loreley')).length, PATIENCE).toBeGreaterThan(1)
  expect(await elitesIn(box, 'heads/loreley')).toEqual([])
  const why =
    'Elites are published under `refs/loreley/elite/` instead of as branches, because Vercel deploys every branch.'
  await expect.poll(async () => (await dashboardOn(box, issue)).body, PATIENCE).toContain(why)
  const page = { ...REPO, ref: 'loreley/state', path: 'campaigns/default-1/README.md' }
  const { data } = await box.as('rita').rest.repos.getContent({ ...page, mediaType: { format: 'raw' } })
  expect(String(data), 'the state branch says the same').toContain(why)

  const hidden = await elitesIn(box, 'loreley')
  await commitFile(box, '.loreley.yml', aConfigFile(LIMITS, 'archive: { refs: branches }\n'))
  await expect.poll(() => elitesIn(box, 'heads/loreley'), PATIENCE).toEqual(hidden)
  expect(await elitesIn(box, 'loreley')).toEqual([])
  const though = 'Elites are branches, as set in `archive.refs`, although Vercel deploys every branch.'
  await expect.poll(async () => (await dashboardOn(box, issue)).body, PATIENCE).toContain(though)
  runner.release()
  await awaitPhase(box, 'finished')
}, 180_000)

const OLD = '.github/workflows/ci.yml'

/** A campaign with two candidates done, whose workflow files then change on the default branch. */
async function aDivergedScene() {
  const scene = await aScene({ limits: LIMITS, files: { [OLD]: 'on: push\n' } })
  const { box, runner } = scene
  runner.holdAfter = 3
  const issue = await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  await expect.poll(async () => (await ledgerOf(box)).length, PATIENCE).toBe(3)
  await commitFile(box, OLD, 'on: pull_request\n')
  runner.release()
  await awaitPhase(box, 'paused')
  return { ...scene, issue }
}

async function keptBy(box: TestBox): Promise<string[]> {
  const { data } = await box.as('rita').rest.git.listMatchingRefs({ ...REPO, ref: 'loreley/keep/default-1/' })
  return data.map(({ ref, object }) => `${Number(ref.slice(-4))} ${object.sha}`)
}

const commitsOf = async (box: TestBox): Promise<string[]> =>
  (await ledgerOf(box)).flatMap(({ ordinal, commit }) =>
    commit === undefined ? [] : [`${ordinal} ${commit}`],
  )

it('pauses when changed workflow files let no ref through, and publishes all once they are back', async () => {
  const { box, issue, runner } = await aDivergedScene()
  const paused = await stateOf(box)
  expect(paused?.status).toMatchObject({ reason: 'workflows-diverged' })
  const [lost] = (await commitsOf(box)).filter((line) => line.startsWith('3 '))
  expect(paused?.control.unpublished, 'the state stands without its refs, and says so').toContainEqual({
    ref: 'refs/loreley/keep/default-1/0003',
    commit: lost?.slice(2),
    reason: 'workflows-diverged',
    detail: expect.stringContaining('workflow'),
  })
  expect(await keptBy(box)).toHaveLength(3)
  const page = async () => (await dashboardOn(box, issue)).body
  await expect.poll(page, PATIENCE).toContain('workflows: write')
  expect(await page()).toContain('`refs/loreley/keep/default-1/0003` is not published (workflows-diverged)')
  const begun = runner.started.length
  expect(await ask(box, 'wendy', issue, '/loreley resume')).toContain('workflows-diverged')
  await expect.poll(async () => (await stateOf(box))?.status.phase, PATIENCE).toBe('paused')
  expect(runner.started.length, 'nothing new is begun').toBe(begun)

  await commitFile(box, OLD, 'on: push\n')
  await awaitPhase(box, 'finished')
  expect(await keptBy(box), 'every commit of the ledger is held').toEqual(await commitsOf(box))
  expect((await stateOf(box))?.control.unpublished).toBeUndefined()
}, 180_000)

it('goes on by itself when an owner gives it the permission to write workflows', async () => {
  const { box, issue } = await aDivergedScene()
  const [installed] = (await box.app().rest.apps.listInstallations()).data
  const permissions = { ...PERMISSIONS, workflows: 'write' } as const
  const sender = getUser(box.box.store, 'olivia')
  await acceptPermissions(box.box, { id: installed?.id ?? 0, permissions, sender })
  await awaitPhase(box, 'finished')
  expect(await keptBy(box)).toEqual(await commitsOf(box))
  await expect.poll(async () => (await dashboardOn(box, issue)).body, PATIENCE).toContain('Finished after 4')
}, 180_000)

async function addRuleset(box: TestBox, include: string, type: 'creation' | 'deletion'): Promise<void> {
  await box.as('olivia').rest.repos.createRepoRuleset({
    ...REPO,
    name: include,
    enforcement: 'active',
    target: 'branch',
    conditions: { ref_name: { include: [include], exclude: [] } },
    rules: [{ type }],
  })
}

it('quotes GitHub when the state branch is refused, and moves elites aside when a rule meets them', async () => {
  const { box, runner, quiet } = await aScene({ limits: LIMITS })
  // The first full reconcile would try the label again, as soon as the rule is gone.
  await quiet()
  await addRuleset(box, 'refs/heads/loreley/state', 'creation')
  const first = await label(box)
  await expect.poll(async () => (await answersOn(box, first)).join(), PATIENCE).toContain('state branch')
  expect((await answersOn(box, first)).join()).toContain('branch protection or rulesets')
  const [rules] = (await box.as('olivia').rest.repos.getRepoRulesets(REPO)).data
  await box.as('olivia').rest.repos.deleteRepoRuleset({ ...REPO, ruleset_id: rules?.id ?? 0 })

  runner.holdAfter = 2
  expect(await ask(box, 'wendy', first, '/loreley start')).toContain('has started')
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  await expect.poll(async () => (await elitesIn(box, 'heads/loreley')).length, PATIENCE).toBe(2)
  await addRuleset(box, 'refs/heads/loreley/elite/**/*', 'creation')
  runner.release()
  await awaitPhase(box, 'finished')
  expect((await elitesIn(box, 'loreley')).length).toBeGreaterThan(2)
  expect(await elitesIn(box, 'heads/loreley')).toEqual([])
  expect((await stateOf(box))?.control.unpublished).toBeUndefined()
  const page = async () => (await dashboardOn(box, first)).body
  await expect.poll(page, PATIENCE).toContain('because rulesets apply to')
}, 180_000)
