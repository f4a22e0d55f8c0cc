import type { Octokit } from '@octokit/rest'
import { describe, expect, it } from 'vitest'
import { install } from '../../../src/sandbox/apps/installation-routes.ts'
import { issueToken } from '../../../src/sandbox/apps/installation-tokens.ts'
import { requestAction } from '../../../src/sandbox/checks/check-run-routes.ts'
import { addApp } from '../../../src/sandbox/seed.ts'
import { repositories } from '../../../src/sandbox/state/documents.ts'
import { getUser } from '../../../src/sandbox/state/lookups.ts'
import { failure, REPO, startReceiver, startTestBox, type TestBox } from '../support.ts'

async function headOf(client: Octokit, branch = 'main'): Promise<string> {
  return (await client.rest.git.getRef({ ...REPO, ref: `heads/${branch}` })).data.object.sha
}

async function push(client: Octokit, path = 'b.txt'): Promise<string> {
  const content = Buffer.from(`${path}\n`).toString('base64')
  const file = { ...REPO, path, message: `add ${path}`, content }
  return (await client.rest.repos.createOrUpdateFileContents(file)).data.commit.sha ?? ''
}

/** Another App with the same permissions, also installed. */
async function otherApp(box: TestBox): Promise<Octokit> {
  const app = addApp(box.box, 'acme', { slug: 'other', permissions: { checks: 'write' } })
  const sender = getUser(box.box.store, 'olivia')
  const installed = await install(box.box, { appId: app.id, account: 'acme', repositories: 'all', sender })
  const { token } = issueToken(box.box, {
    installationId: installed.id,
    permissions: { checks: 'write' },
    repositories: 'all',
  })
  return box.client(token)
}

describe('check runs', () => {
  it('a check run goes from queued to completed, and its suite follows', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url })
    const client = await box.installation()
    const sha = await headOf(client)
    const made = await client.rest.checks.create({ ...REPO, name: 'quality', head_sha: sha })
    expect(made.data).toMatchObject({ status: 'queued', conclusion: null, app: { slug: 'tester' } })
    const run = { ...REPO, check_run_id: made.data.id }
    await client.rest.checks.update({ ...run, status: 'in_progress', external_id: 'candidate-1' })
    const suite = { ...REPO, check_suite_id: made.data.check_suite?.id ?? 0 }
    expect((await client.rest.checks.getSuite(suite)).data).toMatchObject({ status: 'in_progress' })
    await client.rest.checks.update({ ...run, conclusion: 'neutral' })
    const done = (await client.rest.checks.get(run)).data
    expect(done).toMatchObject({ status: 'completed', conclusion: 'neutral', external_id: 'candidate-1' })
    expect(done.completed_at).not.toBeNull()
    expect((await client.rest.checks.getSuite(suite)).data).toMatchObject({
      status: 'completed',
      conclusion: 'neutral',
      latest_check_runs_count: 1,
      head_branch: 'main',
    })
    await box.settled()
    const told = receiver.received.map(({ event, payload }) => `${event}.${payload.action}`)
    expect(told.filter((name) => name.startsWith('check_'))).toEqual([
      'check_run.created',
      'check_run.completed',
      'check_suite.completed',
    ])
  })

  it('check runs are listed by commit and suite, the newest of each name unless all are asked for', async () => {
    const box = await startTestBox()
    const client = await box.installation()
    const sha = await headOf(client)
    for (const name of ['a', 'b', 'a']) {
      await client.rest.checks.create({ ...REPO, name, head_sha: sha, conclusion: 'success' })
    }
    const list = async (more: object) =>
      (await client.rest.checks.listForRef({ ...REPO, ref: 'main', ...more })).data
    expect((await list({})).check_runs.map(({ id }) => id)).toEqual([3, 2])
    expect((await list({ filter: 'all' })).total_count).toBe(3)
    expect((await list({ check_name: 'b' })).check_runs).toHaveLength(1)
    expect((await list({ app_id: 999 })).total_count).toBe(0)
    expect((await list({ status: 'queued' })).total_count).toBe(0)
    const suites = await client.rest.checks.listSuitesForRef({ ...REPO, ref: sha })
    const id = suites.data.check_suites[0]?.id ?? 0
    const inSuite = await client.rest.checks.listForSuite({ ...REPO, check_suite_id: id })
    expect(inSuite.data.total_count).toBe(2)
    const unknown = client.rest.checks.listForRef({ ...REPO, ref: 'nowhere' })
    expect((await failure(unknown)).status).toBe(422)
  })

  it("annotations add up over updates, within GitHub's limits", async () => {
    const box = await startTestBox()
    const client = await box.installation()
    const note = {
      path: 'src/a.txt',
      start_line: 1,
      end_line: 1,
      annotation_level: 'warning' as const,
      message: 'look',
    }
    const output = { title: 't', summary: 's', annotations: Array.from({ length: 50 }, () => note) }
    const base = { ...REPO, name: 'x', head_sha: await headOf(client) }
    const { id } = (await client.rest.checks.create({ ...base, output })).data
    await client.rest.checks.update({ ...REPO, check_run_id: id, output })
    const page = { ...REPO, check_run_id: id, per_page: 60, page: 2 }
    const second = await client.rest.checks.listAnnotations(page)
    expect(second.data).toHaveLength(40)
    expect(second.data[0]).toMatchObject({ path: 'src/a.txt', annotation_level: 'warning' })
    expect((await client.rest.checks.get({ ...REPO, check_run_id: id })).data.output.annotations_count).toBe(
      100,
    )

    const refused = async (more: object) =>
      (await failure(client.rest.checks.create({ ...base, ...more }))).status
    expect(await refused({ output: { ...output, annotations: [...output.annotations, note] } })).toBe(422)
    // 40,000 characters, 80,000 bytes.
    expect(await refused({ output: { title: 't', summary: 'é'.repeat(40_000) } })).toBe(422)
    const action = { label: 'Promote', description: 'Open a pull request', identifier: 'promote' }
    expect(await refused({ actions: [action, action, action, action] })).toBe(422)
    expect(await refused({ actions: [{ ...action, label: 'x'.repeat(21) }] })).toBe(422)
    expect(await refused({ actions: [{ ...action, identifier: 'x'.repeat(21) }] })).toBe(422)
    expect(await refused({ actions: [{ ...action, description: 'x'.repeat(41) }] })).toBe(422)
    expect(await refused({ head_sha: 'f'.repeat(40) })).toBe(422)
    expect(await refused({ status: 'completed' })).toBe(422)
    expect(await refused({ conclusion: 'stale' })).toBe(422)
  })

  it('only Apps create check runs, and only the same App changes them', async () => {
    const box = await startTestBox()
    const client = await box.installation()
    const base = { ...REPO, name: 'x', head_sha: await headOf(client) }
    const { id } = (await client.rest.checks.create(base)).data
    expect(await failure(box.as('olivia').rest.checks.create(base))).toEqual({
      status: 403,
      message: 'You must authenticate via a GitHub App.',
    })
    const reader = await box.installation({ checks: 'read' })
    expect((await failure(reader.rest.checks.create(base))).status).toBe(403)
    const other = await otherApp(box)
    const change = { ...REPO, check_run_id: id, conclusion: 'success' as const }
    expect((await failure(other.rest.checks.update(change))).status).toBe(403)
    expect((await failure(other.rest.checks.rerequestRun({ ...REPO, check_run_id: id }))).status).toBe(403)
    expect((await box.as('rita').rest.checks.get({ ...REPO, check_run_id: id })).data.name).toBe('x')
    expect((await failure(client.rest.checks.get({ ...REPO, check_run_id: 99 }))).status).toBe(404)
  })

  it("a check's button and its re-run reach only its own App", async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url })
    const client = await box.installation()
    const wendy = box.as('wendy')
    const hook = { ...REPO, config: { url: `${receiver.url}/repository` }, events: ['check_run'] }
    await box.as('olivia').rest.repos.createWebhook(hook)
    const made = await client.rest.checks.create({
      ...REPO,
      name: 'x',
      head_sha: await headOf(wendy),
      conclusion: 'action_required',
      actions: [{ label: 'Go', description: 'Do it', identifier: 'go' }],
    })
    const repo = repositories(box.box.store).find(1)
    if (repo === undefined) throw new Error('no repository')
    const by = { sender: getUser(box.box.store, 'wendy') }
    await requestAction(box.box, repo, { runId: made.data.id, identifier: 'go', by })
    await client.rest.checks.rerequestRun({ ...REPO, check_run_id: made.data.id })
    await box.settled()
    const told = receiver.received.filter(({ event }) => event === 'check_run')
    const count = (action: string) => told.filter(({ payload }) => payload.action === action).length
    expect({ created: count('created'), completed: count('completed') }).toEqual({ created: 2, completed: 2 })
    expect({ pressed: count('requested_action'), again: count('rerequested') }).toEqual({
      pressed: 1,
      again: 1,
    })
    expect(told.find(({ payload }) => payload.action === 'requested_action')?.payload).toMatchObject({
      requested_action: { identifier: 'go' },
      sender: { login: 'wendy' },
    })
    await expect(
      requestAction(box.box, repo, { runId: made.data.id, identifier: 'no', by }),
    ).rejects.toThrow()
  })
})

describe('check suites', () => {
  it('a push requests one check suite per App and commit, unless switched off', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url })
    const wendy = box.as('wendy')
    const sha = await push(wendy)
    await wendy.rest.git.createRef({ ...REPO, ref: 'refs/heads/same', sha })
    const suites = (await wendy.rest.checks.listSuitesForRef({ ...REPO, ref: 'main' })).data
    expect(suites.check_suites).toMatchObject([{ head_sha: sha, head_branch: 'main', status: 'queued' }])
    const preference = [{ app_id: box.apps[0]?.id ?? 0, setting: false }]
    const off = { ...REPO, auto_trigger_checks: preference }
    expect((await failure(wendy.rest.checks.setSuitesPreferences(off))).status).toBe(403)
    const set = await box.as('olivia').rest.checks.setSuitesPreferences(off)
    expect(set.data.preferences.auto_trigger_checks).toEqual(preference)
    const second = await push(wendy, 'c.txt')
    const client = await box.installation()
    const none = await client.rest.checks.listSuitesForRef({ ...REPO, ref: second })
    expect(none.data.total_count).toBe(0)
    const made = await client.rest.checks.createSuite({ ...REPO, head_sha: second })
    const again = await client.rest.checks.createSuite({ ...REPO, head_sha: second })
    expect([made.status, again.status, again.data.id === made.data.id]).toEqual([201, 200, true])
    await client.rest.checks.rerequestSuite({ ...REPO, check_suite_id: made.data.id })
    await box.settled()
    const told = receiver.received.filter(({ event }) => event === 'check_suite')
    expect(told.map(({ payload }) => payload.action)).toEqual(['requested', 'rerequested'])
  })
})
