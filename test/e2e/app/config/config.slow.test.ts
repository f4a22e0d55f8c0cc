import { expect, it } from 'vitest'
import { awaitComment, label } from '../../../app/support.ts'
import { REPO } from '../../../sandbox/support.ts'
import {
  aConfigFile,
  answersOn,
  aScene,
  ask,
  awaitPhase,
  commitFile,
  complaintsOf,
  PATIENCE,
  stateOf,
  WORKFLOW,
  WORKFLOW_PATH,
} from '../../app-scene.ts'

it('answers a missing config and a missing workflow with one issue, and begins by itself when they are there', async () => {
  const { box, app } = await aScene({ limits: 'candidates: 1, parallel: 1' })
  await commitFile(box, '.loreley.yml', undefined)
  await commitFile(box, WORKFLOW_PATH, undefined)
  const issue = await label(box)
  await expect
    .poll(() => complaintsOf(box), PATIENCE)
    .toEqual([expect.stringContaining('There is no .loreley.yml')])
  expect(await ask(box, 'wendy', issue, '/loreley start')).toMatch(/^😕 There is no \.loreley\.yml/)
  await commitFile(box, '.loreley.yml', aConfigFile('candidates: 1, parallel: 1'))
  await expect
    .poll(() => complaintsOf(box), PATIENCE)
    .toEqual([expect.stringContaining('There is no workflow')])
  expect(await ask(box, 'wendy', issue, '/loreley start')).toContain('There is no workflow')
  await commitFile(box, WORKFLOW_PATH, WORKFLOW)
  await expect.poll(() => complaintsOf(box), PATIENCE).toEqual([])
  await app.app.watch()
  await awaitPhase(box, 'finished')
  expect((await answersOn(box, issue)).filter((line) => line.startsWith('😕'))).toHaveLength(2)
}, 180_000)

it('checks the config of pull requests line by line', async () => {
  const { box } = await aScene()
  const wendy = box.as('wendy').rest
  const main = await wendy.git.getRef({ ...REPO, ref: 'heads/main' })
  const propose = async (branch: string, text: string) => {
    await wendy.git.createRef({ ...REPO, ref: `refs/heads/${branch}`, sha: main.data.object.sha })
    await commitFile(box, '.loreley.yml', text, branch)
    const { data } = await wendy.pulls.create({ ...REPO, title: branch, head: branch, base: 'main' })
    const read = async () =>
      (await wendy.checks.listForRef({ ...REPO, ref: data.head.sha })).data.check_runs.find(
        ({ name }) => name === 'loreley config',
      )
    await expect.poll(async () => (await read())?.status, PATIENCE).toBe('completed')
    return await read()
  }
  expect(await propose('good', aConfigFile('candidates: 9'))).toMatchObject({ conclusion: 'success' })
  const bad = await propose('bad', aConfigFile('candidates: many'))
  expect(bad).toMatchObject({ conclusion: 'failure' })
  const { data } = await wendy.checks.listAnnotations({ ...REPO, check_run_id: bad?.id ?? 0 })
  expect(data).toMatchObject([{ path: '.loreley.yml', start_line: 6, annotation_level: 'failure' }])
}, 180_000)

it('warns of rules that may refuse something, and begins all the same', async () => {
  const { box } = await aScene({ limits: 'candidates: 1, parallel: 1' })
  await box.as('olivia').rest.repos.createRepoRuleset({
    ...REPO,
    name: 'no force',
    enforcement: 'active',
    target: 'branch',
    conditions: { ref_name: { include: ['~ALL'], exclude: [] } },
    rules: [{ type: 'non_fast_forward' }],
  })
  const issue = await label(box)
  await awaitComment(box, issue, 'Exclude `loreley/**` from these rulesets')
  await awaitPhase(box, 'finished')
}, 180_000)

it.each([
  ['a disabled workflow', 'Enable it on the Actions tab', 'disable'],
  ['a branch in the way', 'Rename or delete', 'branch'],
])(
  'does not begin with %s, and says the remedy',
  async (_case, remedy, how) => {
    const { box, runner } = await aScene()
    if (how === 'disable')
      await box.as('olivia').rest.actions.disableWorkflow({ ...REPO, workflow_id: 'loreley.yml' })
    else {
      const main = await box.as('olivia').rest.git.getRef({ ...REPO, ref: 'heads/main' })
      const sha = main.data.object.sha
      await box.as('olivia').rest.git.createRef({ ...REPO, ref: 'refs/heads/loreley', sha })
    }
    const issue = await label(box)
    await awaitComment(box, issue, remedy)
    await expect.poll(() => complaintsOf(box), PATIENCE).toEqual([expect.stringContaining(remedy)])
    expect(runner.started).toEqual([])
  },
  180_000,
)

it('starts by the label that the config names, and lets CI run at once where it says so', async () => {
  const config = aConfigFile('candidates: 1, parallel: 1', 'label: evolve\npr: { ci: run }\n')
  const { box, quiet } = await aScene({ config })
  const issue = await label(box)
  await quiet()
  expect(await stateOf(box)).toBeUndefined()
  const { issues } = box.as('wendy').rest
  await issues.createLabel({ ...REPO, name: 'evolve' })
  await issues.addLabels({ ...REPO, issue_number: issue, labels: ['evolve'] })
  await awaitPhase(box, 'finished')
  const openPulls = async () => (await box.as('rita').rest.pulls.list(REPO)).data
  await expect.poll(async () => (await openPulls()).length, PATIENCE).toBe(1)
  const [pull] = await openPulls()
  const { data } = await box.as('rita').rest.git.getCommit({ ...REPO, commit_sha: pull?.head.sha ?? '' })
  expect(data.message).toMatch(/^Loreley default-1-0001\n/)
  expect(pull?.body).not.toContain('loreley:ci')
}, 180_000)
