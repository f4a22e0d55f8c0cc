import type { Octokit } from '@octokit/rest'
import { describe, expect, it } from 'vitest'
import { failure, REPO, startReceiver, startTestBox } from '../support.ts'

type Draft = NonNullable<Parameters<Octokit['rest']['repos']['createRepoRuleset']>[0]>

function ruleset(include: string[], rules: Draft['rules'], more: Partial<Draft> = {}): Draft {
  const conditions = { ref_name: { include, exclude: [] } }
  return { ...REPO, name: `for ${include}`, enforcement: 'active', conditions, rules: rules ?? [], ...more }
}

async function childOfMain(client: Octokit, message = 'child') {
  const { data: main } = await client.rest.repos.getBranch({ ...REPO, branch: 'main' })
  const draft = { ...REPO, message, tree: main.commit.commit.tree.sha, parents: [main.commit.sha] }
  return { main: main.commit.sha, child: (await client.rest.git.createCommit(draft)).data.sha }
}

describe('rulesets', () => {
  it('admins create, read, change and delete rulesets, and each change sends an event', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox()
    const admin = box.as('olivia').rest.repos
    const config = { url: receiver.url }
    await admin.createWebhook({ ...REPO, config, events: ['repository_ruleset'] })
    const draft = ruleset(['refs/heads/loreley/**'], [{ type: 'deletion' }])
    expect((await failure(box.as('wendy').rest.repos.createRepoRuleset(draft))).status).toBe(403)
    const made = await admin.createRepoRuleset(draft)
    expect(made.data).toMatchObject({
      target: 'branch',
      source: 'acme/demo',
      current_user_can_bypass: 'never',
    })
    expect((await failure(admin.createRepoRuleset(draft))).status).toBe(422)
    const target = { ...REPO, ruleset_id: made.data.id }
    const bypass_actors = [{ actor_id: 5, actor_type: 'RepositoryRole' as const }]
    const changed = await admin.updateRepoRuleset({ ...target, name: 'renamed', bypass_actors })
    expect(changed.data).toMatchObject({ name: 'renamed', current_user_can_bypass: 'always' })
    const read = await box.as('rita').rest.repos.getRepoRuleset(target)
    expect(read.data).toMatchObject({ rules: [{ type: 'deletion' }], current_user_can_bypass: 'never' })
    expect((await box.as('rita').rest.repos.getRepoRulesets(REPO)).data).toHaveLength(1)
    await admin.deleteRepoRuleset(target)
    expect((await failure(admin.getRepoRuleset(target))).status).toBe(404)
    await box.settled()
    const told = receiver.received.filter((one) => one.event === 'repository_ruleset')
    expect(told.map((one) => one.payload.action)).toEqual(['created', 'edited', 'deleted'])
  })

  it('the rules of a branch are listed even if the branch does not exist', async () => {
    const box = await startTestBox()
    const admin = box.as('olivia').rest.repos
    const first = await admin.createRepoRuleset(ruleset(['~DEFAULT_BRANCH'], [{ type: 'deletion' }]))
    const message = { operator: 'starts_with', pattern: 'fix' } as const
    await admin.createRepoRuleset(
      ruleset(['refs/heads/loreley/**'], [{ type: 'commit_message_pattern', parameters: message }], {
        conditions: { ref_name: { include: ['refs/heads/loreley/**'], exclude: ['refs/heads/loreley/x/*'] } },
      }),
    )
    await admin.createRepoRuleset(
      ruleset(['~ALL'], [{ type: 'creation' }], { enforcement: 'disabled', name: 'off' }),
    )
    const client = await box.installation({ contents: 'read' })
    const rules = async (branch: string) =>
      (await client.rest.repos.getBranchRules({ ...REPO, branch })).data.map(({ type }) => type)
    expect(await rules('main')).toEqual(['deletion'])
    expect(await rules('loreley/a/b')).toEqual(['commit_message_pattern'])
    expect(await rules('loreley/x/b')).toEqual([])
    expect(await rules('other')).toEqual([])
    const [rule] = (await client.rest.repos.getBranchRules({ ...REPO, branch: 'main' })).data
    expect(rule).toMatchObject({ ruleset_id: first.data.id, ruleset_source: 'acme/demo' })
    expect((await client.rest.repos.getBranch({ ...REPO, branch: 'main' })).data.protected).toBe(true)
    const classic = await failure(admin.getBranchProtection({ ...REPO, branch: 'main' }))
    expect(classic).toEqual({ status: 404, message: 'Branch not protected' })
  })

  it('rulesets refuse forbidden changes over REST and GraphQL', async () => {
    const box = await startTestBox()
    const client = box.as('wendy')
    const { main, child } = await childOfMain(client)
    await client.rest.git.createRef({ ...REPO, ref: 'refs/heads/kept/a', sha: child })
    const admin = box.as('olivia').rest.repos
    await admin.createRepoRuleset(
      ruleset(
        ['refs/heads/kept/*'],
        [{ type: 'creation' }, { type: 'deletion' }, { type: 'non_fast_forward' }],
      ),
    )
    await admin.createRepoRuleset(ruleset(['~DEFAULT_BRANCH'], [{ type: 'update' }]))
    const pattern = { operator: 'regex', pattern: '^ok/' } as const
    await admin.createRepoRuleset(
      ruleset(['refs/heads/ok*/**'], [{ type: 'branch_name_pattern', parameters: pattern }]),
    )
    const said = async (call: Promise<unknown>) => await failure(call)
    const rule = (text: string) => ({ status: 422, message: `Repository rule violations found\n\n${text}` })
    const { git } = client.rest
    expect(await said(git.createRef({ ...REPO, ref: 'refs/heads/kept/b', sha: child }))).toEqual(
      rule('Cannot create ref due to creations being restricted.'),
    )
    expect(await said(git.deleteRef({ ...REPO, ref: 'heads/kept/a' }))).toEqual(
      rule('Cannot delete this branch'),
    )
    expect(await said(git.updateRef({ ...REPO, ref: 'heads/kept/a', sha: main, force: true }))).toEqual(
      rule('Cannot force-push to this branch'),
    )
    expect(await said(git.updateRef({ ...REPO, ref: 'heads/main', sha: child }))).toEqual(
      rule('Cannot update this protected ref.'),
    )
    expect(await said(git.createRef({ ...REPO, ref: 'refs/heads/okay/b', sha: child }))).toEqual(
      rule('Branch name must match a given regex pattern: ^ok/'),
    )
    await git.createRef({ ...REPO, ref: 'refs/heads/ok/b', sha: child })
    await git.createRef({ ...REPO, ref: 'refs/kept/b', sha: child })
    const file = { ...REPO, path: 'b.txt', message: 'm', content: '' }
    expect((await said(client.rest.repos.createOrUpdateFileContents(file))).status).toBe(409)
    const repository = (await client.rest.repos.get(REPO)).data.node_id
    const refUpdates = [{ name: 'refs/heads/main', afterOid: child, force: false }]
    const mutation = 'mutation($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }'
    const graphql = client.graphql(mutation, { input: { repositoryId: repository, refUpdates } })
    await expect(graphql).rejects.toThrow('Cannot update this protected ref.')
  })

  it('rulesets judge new commits by message, author, parents, signature and checks', async () => {
    const box = await startTestBox()
    const client = box.as('wendy')
    const admin = box.as('olivia').rest.repos
    const { main, child } = await childOfMain(client, 'feature: x')
    const refused = async (name: string, rules: Draft['rules'], sha = child) => {
      await client.rest.git.createRef({ ...REPO, ref: `refs/heads/${name}`, sha: main })
      await admin.createRepoRuleset(ruleset([`refs/heads/${name}`], rules))
      const moved = client.rest.git.updateRef({ ...REPO, ref: `heads/${name}`, sha })
      return (await failure(moved)).message.split('\n\n')[1]
    }
    const fix = { operator: 'starts_with', pattern: 'fix' } as const
    const mail = { operator: 'ends_with', pattern: '@example.com', negate: true } as const
    expect(await refused('a', [{ type: 'commit_message_pattern', parameters: fix }])).toBe(
      'Commit message must start with a matching pattern: fix',
    )
    expect(await refused('b', [{ type: 'commit_author_email_pattern', parameters: mail }])).toBe(
      'Author email must not end with a matching pattern: @example.com',
    )
    expect(await refused('c', [{ type: 'required_signatures' }])).toBe(
      'Commits must have verified signatures.',
    )
    const merge = await client.rest.git.createCommit({
      ...REPO,
      message: 'merge',
      tree: (await client.rest.git.getCommit({ ...REPO, commit_sha: main })).data.tree.sha,
      parents: [main, child],
    })
    expect(await refused('d', [{ type: 'required_linear_history' }], merge.data.sha)).toBe(
      'This branch must not contain merge commits.',
    )
    const checks = {
      strict_required_status_checks_policy: false,
      required_status_checks: [{ context: 'ci' }],
    }
    expect(await refused('e', [{ type: 'required_status_checks', parameters: checks }])).toBe(
      'Required status check "ci" is expected.',
    )
    const app = await box.installation({ checks: 'write' })
    const passed = { ...REPO, name: 'ci', head_sha: child, conclusion: 'success' as const }
    await app.rest.checks.create(passed)
    expect((await client.rest.git.updateRef({ ...REPO, ref: 'heads/e', sha: child })).status).toBe(200)
  })

  it('an App, a role or a person on the bypass list may pass a ruleset', async () => {
    const box = await startTestBox()
    const { data: app } = await box.app().rest.apps.getAuthenticated()
    const wendy = (await box.as('wendy').rest.users.getAuthenticated()).data
    const { child } = await childOfMain(box.as('wendy'))
    const create = async (client: Octokit, ref: string) =>
      await client.rest.git.createRef({ ...REPO, ref: `refs/heads/${ref}`, sha: child }).then(
        () => 'passed',
        () => 'refused',
      )
    const cases = [
      [{ actor_id: app?.id ?? 0, actor_type: 'Integration' }, ['passed', 'refused', 'refused']],
      [{ actor_id: 5, actor_type: 'RepositoryRole' }, ['refused', 'passed', 'refused']],
      [{ actor_id: wendy.id, actor_type: 'User' }, ['refused', 'refused', 'passed']],
      [
        { actor_id: 5, actor_type: 'RepositoryRole', bypass_mode: 'pull_request' },
        ['refused', 'refused', 'refused'],
      ],
    ] as const
    for (const [index, [actor, expected]] of cases.entries()) {
      const name = `zone${index}`
      // Octokit's types do not know users as bypass actors yet.
      const draft = { ...ruleset([`refs/heads/${name}/*`], [{ type: 'creation' }]), bypass_actors: [actor] }
      await box.as('olivia').request('POST /repos/acme/demo/rulesets', draft)
      const clients = [await box.installation({ contents: 'write' }), box.as('olivia'), box.as('wendy')]
      const outcomes = []
      for (const [who, client] of clients.entries()) outcomes.push(await create(client, `${name}/${who}`))
      expect(outcomes).toEqual(expected)
    }
  })

  it('a ruleset can require pull requests with green checks', async () => {
    const box = await startTestBox()
    const { rest } = box.as('wendy')
    const { main } = await childOfMain(box.as('wendy'))
    await rest.git.createRef({ ...REPO, ref: 'refs/heads/side', sha: main })
    const file = { ...REPO, path: 'b.txt', message: 'm', content: '' }
    const { data } = await rest.repos.createOrUpdateFileContents({ ...file, branch: 'side' })
    const pulls = {
      dismiss_stale_reviews_on_push: false,
      require_code_owner_review: false,
      require_last_push_approval: false,
      required_approving_review_count: 0,
      required_review_thread_resolution: false,
    }
    const checks = {
      strict_required_status_checks_policy: false,
      required_status_checks: [{ context: 'ci' }],
    }
    await box.as('olivia').rest.repos.createRepoRuleset(
      ruleset(
        ['~DEFAULT_BRANCH'],
        [
          { type: 'pull_request', parameters: pulls },
          { type: 'required_status_checks', parameters: checks },
        ],
      ),
    )
    const direct = await failure(rest.repos.createOrUpdateFileContents(file))
    expect(direct.message).toContain('Changes must be made through a pull request.')
    const pull = await rest.pulls.create({ ...REPO, title: 't', head: 'side', base: 'main' })
    const target = { ...REPO, pull_number: pull.data.number }
    expect(await failure(rest.pulls.merge(target))).toEqual({
      status: 405,
      message: 'Repository rule violations found\n\nRequired status check "ci" is expected.',
    })
    const app = await box.installation({ checks: 'write' })
    const head_sha = data.commit.sha ?? ''
    await app.rest.checks.create({ ...REPO, name: 'ci', head_sha, conclusion: 'success' })
    expect((await rest.pulls.merge(target)).data.merged).toBe(true)
  })
})
