import { describe, expect, it } from 'vitest'
import type { Transport } from '../../src/github/api/api-client.ts'
import { BaseTrees } from '../../src/github/git/base-trees.ts'
import { adviseEliteNamespace, checkElites } from '../../src/github/preflight/elite-namespace.ts'
import type { Finding } from '../../src/github/preflight/finding.ts'
import { type PreflightRequest, preflight } from '../../src/github/preflight/preflight.ts'
import { checkDiverged } from '../../src/github/preflight/workflow.ts'
import { findFile, readCommit } from '../../src/github/repository-facts.ts'
import { explainRun } from '../../src/github/runs/explain-run.ts'
import type { JobFacts, RunFacts } from '../../src/github/runs/runs.ts'
import { REPO } from '../sandbox/support.ts'
import { aGitHub, type TestGitHub } from './support.ts'

const PATH = '.github/workflows/loreley.yml'
const FILES = { [PATH]: 'on: workflow_dispatch\njobs: {}\n', 'src/a.txt': 'a\n' }
const REQUEST: PreflightRequest = { campaign: 'demo', workflow: 'loreley.yml', needsKey: false }

/** What a preflight finds that is not fine. */
async function troubles(github: TestGitHub, order = REQUEST): Promise<readonly Finding[]> {
  return (await preflight(github.api(), order)).filter(({ state }) => state !== 'ok')
}

async function addRules(github: TestGitHub, ...types: ('creation' | 'non_fast_forward' | 'deletion')[]) {
  await github.box.as('olivia').rest.repos.createRepoRuleset({
    ...REPO,
    name: types.join(),
    enforcement: 'active',
    target: 'branch',
    conditions: { ref_name: { include: ['~ALL'], exclude: [] } },
    rules: types.map((type) => ({ type })),
  })
}

function withoutRules(github: TestGitHub, status: number): Transport {
  return {
    graphql: github.octokit.graphql,
    request: async (route, parameters = {}) => {
      if (!route.includes('/rules/branches/')) return await github.octokit.request(route, parameters)
      const message = 'Upgrade to GitHub Pro or make this repository public to enable this feature.'
      throw Object.assign(new Error(message), { status, response: { headers: {}, data: { message } } })
    },
  }
}

async function setEnvironment(github: TestGitHub, changes: object, policies: readonly string[] = []) {
  const { repos } = github.box.as('olivia').rest
  const environment_name = 'loreley'
  await repos.createOrUpdateEnvironment({ ...REPO, environment_name, ...changes })
  for (const name of policies) await repos.createDeploymentBranchPolicy({ ...REPO, environment_name, name })
}

describe('a preflight', () => {
  it('a preflight finds nothing in a repository that is ready', async () => {
    const github = await aGitHub({ files: FILES })
    const found = await preflight(github.api(), REQUEST)
    expect(found.map(({ topic, state }) => `${topic} ${state}`)).toEqual([
      'repository ok',
      'branch-names ok',
      'rules ok',
      'workflow ok',
      'environment ok',
    ])
    expect(github.sent.every(({ writes }) => !writes)).toBe(true)
  })

  it('stops at an archived repository', async () => {
    const github = await aGitHub({ files: FILES })
    await github.box.as('olivia').rest.repos.update({ ...REPO, archived: true })
    expect(await troubles(github)).toMatchObject([
      { topic: 'repository', state: 'blocked', remedy: expect.stringContaining('Unarchive') },
    ])
  })

  it('stops at an empty repository', async () => {
    const github = await aGitHub({ files: FILES })
    github.git('update-ref', '-d', 'refs/heads/main')
    expect(await troubles(github)).toMatchObject([
      { topic: 'repository', state: 'blocked', message: expect.stringContaining('no commit') },
    ])
  })

  // The sandbox has neither forks nor disabled repositories.
  it.each([
    ['warns about a fork', { fork: true }, 'warning', 'Enable workflows'],
    ['stops at a disabled repository', { disabled: true }, 'blocked', 'GitHub support'],
  ])('a preflight %s', async (_case, facts, state, remedy) => {
    const github = await aGitHub({ files: FILES })
    const transport = {
      graphql: github.octokit.graphql,
      request: async (route: string, parameters: Record<string, unknown> = {}) => {
        const answer = await github.octokit.request(route, parameters)
        return route === 'GET /repos/{owner}/{repo}'
          ? { ...answer, data: { ...answer.data, ...facts } }
          : answer
      },
    }
    const found = await preflight(github.api({ transport }), REQUEST)
    expect(found[0]).toMatchObject({ topic: 'repository', state, remedy: expect.stringContaining(remedy) })
  })

  it.each(['loreley', 'loreley/elite', 'loreley/state/x'])('stops at a branch named %s', async (name) => {
    const github = await aGitHub({ files: FILES })
    github.git('branch', name, 'main')
    expect(await troubles(github)).toMatchObject([
      { topic: 'branch-names', state: 'blocked', remedy: `Rename or delete \`${name}\`.` },
    ])
  })

  it('warns about rulesets that would refuse something', async () => {
    const github = await aGitHub({ files: FILES })
    await addRules(github, 'non_fast_forward')
    const forced = await troubles(github)
    expect(forced.map(({ message }) => message.match(/`(loreley[^`]*)`/)?.[1])).toEqual([
      'loreley/pr/demo/0001',
    ])
    await addRules(github, 'creation')
    expect(await troubles(github)).toHaveLength(3)
  })

  // Private repositories of free accounts have no rulesets.
  it.each([403, 404])('warns when GitHub answers %i to a request for rulesets', async (status) => {
    const github = await aGitHub({ files: FILES })
    const api = github.api({ transport: withoutRules(github, status) })
    const found = await preflight(api, REQUEST)
    expect(found.filter(({ state }) => state !== 'ok')).toMatchObject([
      { topic: 'rules', state: 'warning', remedy: expect.stringContaining('there is nothing to do') },
    ])
    expect(await adviseOn(github, api)).toEqual({ namespace: 'branches', reasons: [] })
  })

  it('stops at a missing and at a disabled workflow', async () => {
    const github = await aGitHub({ files: FILES })
    expect(await troubles(github, { ...REQUEST, workflow: 'other.yml' })).toMatchObject([
      { topic: 'workflow', state: 'blocked', remedy: expect.stringContaining('loreley init --github') },
    ])
    await github.box.as('olivia').rest.actions.disableWorkflow({ ...REPO, workflow_id: 'loreley.yml' })
    expect(await troubles(github)).toMatchObject([
      { topic: 'workflow', state: 'blocked', message: expect.stringContaining('disabled_manually') },
    ])
  })

  it('stops when the branch of the runs lacks the workflow', async () => {
    const github = await aGitHub({ files: FILES })
    const empty = github.git('commit-tree', '-m', 'x', github.git('hash-object', '-wt', 'tree', '/dev/null'))
    github.git('branch', 'loreley/runner/demo', empty)
    expect(await troubles(github, { ...REQUEST, ref: 'loreley/runner/demo' })).toMatchObject([
      { topic: 'workflow', state: 'blocked', message: expect.stringContaining('loreley/runner/demo') },
    ])
  })

  it('looks at the environment when a key is needed', async () => {
    const github = await aGitHub({ files: FILES })
    const order = { ...REQUEST, needsKey: true }
    const missing = await troubles(github, order)
    expect(missing).toMatchObject([{ topic: 'environment', state: 'warning' }])
    await setEnvironment(github, {})
    expect(await troubles(github, order)).toMatchObject([
      { state: 'warning', remedy: expect.stringContaining('loreley/runner/*') },
    ])
    const limited = { deployment_branch_policy: { protected_branches: false, custom_branch_policies: true } }
    await setEnvironment(github, limited)
    expect(await troubles(github, order)).toMatchObject([
      { topic: 'environment', state: 'warning', message: expect.stringContaining('loreley/runner/demo') },
    ])
    await setEnvironment(github, limited, ['loreley/runner/*'])
    expect(await troubles(github, order)).toEqual([])
    await setEnvironment(github, { ...limited, wait_timer: 5 })
    expect(await troubles(github, order)).toMatchObject([
      { state: 'blocked', message: expect.stringContaining('wait_timer') },
    ])
  })

  it.each([
    ['loreley/runner/*', 'branch', true],
    ['loreley/*/*', 'branch', true],
    ['loreley/**/*', 'branch', true],
    ['**/demo', 'branch', true],
    ['loreley/runner/demo', 'branch', true],
    ['loreley/runner/d[a-f]mo', 'branch', true],
    ['loreley/*', 'branch', false],
    ['loreley/**', 'branch', false],
    ['loreley/{runner,x}/*', 'branch', false],
    ['!main', 'branch', false],
    ['main', 'branch', false],
    ['loreley/runner/*', 'tag', false],
  ] as const)(
    'warns unless a rule of the environment matches: %s of a %s, %s',
    async (name, type, matches) => {
      const github = await aGitHub({ files: FILES })
      await setEnvironment(github, {
        deployment_branch_policy: { protected_branches: false, custom_branch_policies: true },
      })
      const { repos } = github.box.as('olivia').rest
      await repos.createDeploymentBranchPolicy({ ...REPO, environment_name: 'loreley', name, type })
      const states = (await troubles(github)).map(({ topic, state }) => `${topic} ${state}`)
      expect(states).toEqual(matches ? [] : ['environment warning'])
    },
  )

  it('stops at an environment that does not let our runs in, though no key is needed', async () => {
    const github = await aGitHub({ files: FILES })
    await setEnvironment(github, {
      deployment_branch_policy: { protected_branches: true, custom_branch_policies: false },
    })
    expect(await troubles(github)).toMatchObject([
      { topic: 'environment', state: 'blocked', remedy: expect.stringContaining('Selected branches') },
    ])
    await setEnvironment(github, { deployment_branch_policy: null, wait_timer: 5 })
    expect(await troubles(github)).toMatchObject([
      { topic: 'environment', state: 'blocked', message: expect.stringContaining('wait_timer') },
    ])
    await setEnvironment(github, { wait_timer: 0 })
    expect(await troubles(github)).toEqual([])
  })
})

describe('workflow files that diverged', () => {
  it('finds diverged workflow files by their folder', async () => {
    const github = await aGitHub({ files: FILES })
    const api = github.api()
    const root = await readCommit(api, github.git('rev-parse', 'main'))
    const trees = new BaseTrees(api)
    expect(await checkDiverged(trees, { root: root.tree, now: root.tree })).toMatchObject({ state: 'ok' })
    await github.box.as('olivia').rest.repos.createOrUpdateFileContents({
      ...REPO,
      path: '.github/workflows/more.yml',
      message: 'more',
      content: Buffer.from('on: push\n').toString('base64'),
    })
    const now = await readCommit(api, github.git('rev-parse', 'main'))
    expect(await checkDiverged(trees, { root: root.tree, now: now.tree })).toMatchObject({
      state: 'warning',
      remedy: expect.stringContaining('workflows: write'),
    })
    expect(await findFile(api, '.github/workflows/more.yml', 'main')).toBe('on: push\n')
  })
})

async function adviseOn(github: TestGitHub, api = github.api()) {
  const root = { commit: github.git('rev-parse', 'main'), tree: github.git('rev-parse', 'main^{tree}') }
  return await adviseEliteNamespace(api, new BaseTrees(api), { campaign: 'demo', root })
}

describe('the namespace of elites', () => {
  it.each<[string, Record<string, string>, string]>([
    ['nothing that acts on branches', {}, 'branches'],
    ['a workflow on create', { '.github/workflows/x.yml': 'on: [push, create]\n' }, 'hidden'],
    ['a workflow on delete', { '.github/workflows/x.yml': 'on:\n  delete:\n' }, 'hidden'],
    ['a file that is no YAML', { '.github/workflows/x.yml': 'on: [\n' }, 'branches'],
    ['Vercel', { 'vercel.json': '{}' }, 'hidden'],
    ['Jenkins', { Jenkinsfile: 'pipeline {}' }, 'hidden'],
  ])('chooses the namespace of elites in a repository with %s', async (_case, files, namespace) => {
    const github = await aGitHub({ files: { ...FILES, ...files } })
    const advice = await adviseOn(github)
    expect(advice.namespace).toBe(namespace)
    expect(advice.reasons).toHaveLength(namespace === 'hidden' ? 1 : 0)
  })

  it('hides elites where the Vercel app is installed', async () => {
    const github = await aGitHub({ files: FILES, slug: 'vercel' })
    const head_sha = github.git('rev-parse', 'main')
    await github.octokit.rest.checks.create({ ...REPO, name: 'deploy', head_sha })
    expect(await adviseOn(github)).toMatchObject({
      namespace: 'hidden',
      reasons: [expect.stringContaining('Vercel app')],
    })
  })

  it('hides elites where a ruleset holds', async () => {
    const github = await aGitHub({ files: FILES })
    await addRules(github, 'deletion')
    expect(await adviseOn(github)).toMatchObject({
      namespace: 'hidden',
      reasons: [expect.stringContaining('deletion')],
    })
  })
})

describe('the note about elites', () => {
  const busy = { namespace: 'hidden', reasons: ['Vercel deploys every branch'] } as const
  const calm = { namespace: 'branches', reasons: [] } as const
  it.each([
    ['auto', calm, 'ok', 'Elites are published as branches.'],
    ['auto', busy, 'ok', 'because Vercel deploys every branch'],
    ['hidden', calm, 'ok', 'as set in `archive.refs`'],
    ['branches', busy, 'warning', 'although Vercel deploys every branch'],
  ] as const)('tells people about elites with archive.refs: %s', (refs, advice, state, message) => {
    const finding = checkElites({ archive: { refs } }, advice)
    expect(finding).toMatchObject({ state, message: expect.stringContaining(message) })
  })
})

describe('a run without a result', () => {
  const run: RunFacts = {
    id: 1,
    repositoryId: 1,
    path: PATH,
    branch: null,
    sha: '',
    event: 'workflow_dispatch',
    actors: [],
    attempt: 1,
    status: 'completed',
    conclusion: 'failure',
    title: '',
    url: '',
    createdAt: '2026-01-01T00:00:00Z',
  }
  const job: JobFacts = {
    id: 1,
    name: 'propose',
    status: 'completed',
    conclusion: 'failure',
    steps: 3,
    ranMs: 0,
  }
  const nowMs = Date.parse('2026-01-01T00:03:00Z')

  it.each<[string | undefined, Partial<RunFacts>, readonly JobFacts[]]>([
    ['broken', {}, [job]],
    ['no-minutes', {}, [{ ...job, steps: 0 }]],
    ['never-started', { conclusion: 'startup_failure' }, []],
    ['never-started', {}, []],
    ['cancelled', { conclusion: 'cancelled' }, [job]],
    ['timed-out', { conclusion: 'timed_out' }, [job]],
    ['waiting', { status: 'waiting', conclusion: null }, []],
    [undefined, { status: 'in_progress', conclusion: null }, [job]],
    [undefined, { conclusion: 'success' }, [job]],
  ])('explains a run without a result as %s', (reason, changes, jobs) => {
    expect(explainRun({ ...run, ...changes }, jobs, { nowMs })?.reason).toBe(reason)
  })

  it('quotes what GitHub notes on a job without steps', () => {
    const annotation = 'The job was not started because recent account payments have failed'
    expect(explainRun(run, [{ ...job, steps: 0 }], { nowMs, annotation })?.message).toContain(annotation)
  })
})
