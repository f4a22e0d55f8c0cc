import { describe, expect, it } from 'vitest'
import { setSecret } from '../../../src/sandbox/actions/secrets/secret-routes.ts'
import { valuesForJob } from '../../../src/sandbox/actions/secrets/secrets-and-variables.ts'
import { findEnvironment, mayUseEnvironment } from '../../../src/sandbox/environments/environments.ts'
import { findRepository } from '../../../src/sandbox/state/lookups.ts'
import { failure, REPO, startTestBox, type TestBox } from '../support.ts'

const ENVIRONMENT = { ...REPO, environment_name: 'loreley' }
const CUSTOM = { protected_branches: false, custom_branch_policies: true }

function repoOf(box: TestBox) {
  const repo = findRepository(box.box.store, REPO.owner, REPO.repo)
  if (repo === undefined) throw new Error('no repository')
  return repo
}

describe('environments', () => {
  it('admins create and delete environments, and Apps that may read actions read them', async () => {
    const box = await startTestBox()
    const admin = box.as('olivia').rest
    const reader = (await box.installation({ actions: 'read' })).rest.repos
    const writer = box.as('wendy').rest.repos
    expect((await failure(writer.createOrUpdateEnvironment(ENVIRONMENT))).status).toBe(403)
    expect((await failure(reader.getEnvironment(ENVIRONMENT))).status).toBe(404)
    const plain = await admin.repos.createOrUpdateEnvironment(ENVIRONMENT)
    expect(plain.data).toMatchObject({
      name: 'loreley',
      protection_rules: [],
      deployment_branch_policy: null,
    })
    const { id } = (await admin.users.getByUsername({ username: 'wendy' })).data
    await admin.repos.createOrUpdateEnvironment({
      ...ENVIRONMENT,
      wait_timer: 5,
      reviewers: [{ type: 'User', id }],
      deployment_branch_policy: { protected_branches: true, custom_branch_policies: false },
    })
    const read = await reader.getEnvironment(ENVIRONMENT)
    expect(read.data.protection_rules).toMatchObject([
      { type: 'wait_timer', wait_timer: 5 },
      { type: 'required_reviewers', reviewers: [{ type: 'User', reviewer: { login: 'wendy' } }] },
      { type: 'branch_policy' },
    ])
    const both = { ...ENVIRONMENT, deployment_branch_policy: { ...CUSTOM, protected_branches: true } }
    expect((await failure(admin.repos.createOrUpdateEnvironment(both))).status).toBe(422)
    expect((await reader.getAllEnvironments(REPO)).data.total_count).toBe(1)
    expect((await reader.getAllDeploymentProtectionRules(ENVIRONMENT)).data.total_count).toBe(0)
    await admin.repos.deleteAnEnvironment(ENVIRONMENT)
    expect((await failure(reader.getEnvironment(ENVIRONMENT))).status).toBe(404)
  })

  it('an environment says which branches and tags may use it', async () => {
    const box = await startTestBox()
    const { repos } = box.as('olivia').rest
    await repos.createOrUpdateEnvironment(ENVIRONMENT)
    const draft = { ...ENVIRONMENT, name: 'loreley/runner/*' }
    expect((await failure(repos.createDeploymentBranchPolicy(draft))).status).toBe(404)
    await repos.createOrUpdateEnvironment({ ...ENVIRONMENT, deployment_branch_policy: CUSTOM })
    const made = await repos.createDeploymentBranchPolicy(draft)
    expect((await failure(repos.createDeploymentBranchPolicy(draft))).status).toBe(422)
    await repos.createDeploymentBranchPolicy({ ...ENVIRONMENT, name: 'v*', type: 'tag' })
    const listed = await repos.listDeploymentBranchPolicies(ENVIRONMENT)
    expect(listed.data.branch_policies).toMatchObject([
      { name: 'loreley/runner/*', type: 'branch' },
      { name: 'v*', type: 'tag' },
    ])
    const may = (ref: string) => {
      const environment = findEnvironment(box.box, repoOf(box), 'Loreley')
      return environment !== undefined && mayUseEnvironment(box.box, repoOf(box), environment, ref)
    }
    const refs = ['refs/heads/loreley/runner/1', 'refs/heads/main', 'refs/tags/v1', 'refs/heads/v1']
    expect(refs.map(may)).toEqual([true, false, true, false])
    const target = { ...ENVIRONMENT, branch_policy_id: made.data.id ?? 0 }
    await repos.updateDeploymentBranchPolicy({ ...target, name: 'main' })
    expect((await repos.getDeploymentBranchPolicy(target)).data.name).toBe('main')
    await repos.deleteDeploymentBranchPolicy(target)
    expect((await failure(repos.getDeploymentBranchPolicy(target))).status).toBe(404)
    expect(refs.map(may)).toEqual([false, false, true, false])
  })
})

describe('secrets and variables', () => {
  it('secrets are listed by name, and only a job sees their values', async () => {
    const box = await startTestBox()
    setSecret(box.box, repoOf(box), { name: 'key', value: 'repository' })
    setSecret(box.box, repoOf(box), { name: 'OTHER', value: 'other' })
    setSecret(box.box, repoOf(box), { name: 'KEY', value: 'environment', environment: 'loreley' })
    const { actions } = box.as('wendy').rest
    const listed = await actions.listRepoSecrets(REPO)
    expect(listed.data.secrets.map(({ name }) => name)).toEqual(['KEY', 'OTHER'])
    expect(JSON.stringify(listed.data)).not.toContain('repository"')
    expect((await actions.listEnvironmentSecrets(ENVIRONMENT)).data.total_count).toBe(1)
    expect((await actions.getEnvironmentSecret({ ...ENVIRONMENT, secret_name: 'KEY' })).data.name).toBe('KEY')
    const environmentId = findEnvironment(box.box, repoOf(box), 'loreley')?.id ?? 0
    const seen = (id: number | null) =>
      valuesForJob(box.box, 'secret', { repo: repoOf(box), environmentId: id })
    expect(seen(null)).toEqual({ KEY: 'repository', OTHER: 'other' })
    expect(seen(environmentId)).toEqual({ KEY: 'environment', OTHER: 'other' })
    await actions.deleteRepoSecret({ ...REPO, secret_name: 'OTHER' })
    expect((await failure(actions.getRepoSecret({ ...REPO, secret_name: 'OTHER' }))).status).toBe(404)
    expect((await failure(box.as('rita').rest.actions.listRepoSecrets(REPO))).status).toBe(403)
    await box.as('olivia').rest.repos.deleteAnEnvironment(ENVIRONMENT)
    expect(seen(environmentId)).toEqual({ KEY: 'repository' })
  })

  it('callers with permission create, change and delete variables', async () => {
    const permissions = { actions_variables: 'write', metadata: 'read' } as const
    const box = await startTestBox({ permissions })
    const { actions } = (await box.installation()).rest
    await actions.createRepoVariable({ ...REPO, name: 'level', value: '1' })
    expect((await failure(actions.createRepoVariable({ ...REPO, name: 'LEVEL', value: '2' }))).status).toBe(
      409,
    )
    for (const name of ['1x', 'GITHUB_X', 'a-b']) {
      expect((await failure(actions.createRepoVariable({ ...REPO, name, value: '' }))).status).toBe(422)
    }
    await actions.updateRepoVariable({ ...REPO, name: 'LEVEL', value: '3' })
    expect((await actions.getRepoVariable({ ...REPO, name: 'LEVEL' })).data.value).toBe('3')
    expect((await actions.listRepoVariables(REPO)).data.total_count).toBe(1)
    const names = box.as('rita').rest.actions.listRepoVariables(REPO)
    expect((await failure(names)).status).toBe(403)
    await actions.deleteRepoVariable({ ...REPO, name: 'LEVEL' })
    expect((await failure(actions.getRepoVariable({ ...REPO, name: 'LEVEL' }))).status).toBe(404)
    const admin = box.as('olivia').rest
    await admin.repos.createOrUpdateEnvironment(ENVIRONMENT)
    expect((await failure(actions.listEnvironmentVariables(ENVIRONMENT))).status).toBe(403)
    await admin.actions.createEnvironmentVariable({ ...ENVIRONMENT, name: 'A', value: 'a' })
    const variable = { ...ENVIRONMENT, name: 'A' }
    await admin.actions.updateEnvironmentVariable({ ...variable, value: 'b' })
    expect((await admin.actions.getEnvironmentVariable(variable)).data.value).toBe('b')
    await admin.actions.deleteEnvironmentVariable(variable)
    expect((await admin.actions.listEnvironmentVariables(ENVIRONMENT)).data.total_count).toBe(0)
  })
})
