import { describe, expect, it } from 'vitest'
import { failure, REPO, startReceiver, startTestBox } from '../support.ts'
import { actionsOf, commitTo, openPull, readFile } from './a-pull.ts'

describe('merging a pull request', () => {
  it('a merge makes a merge commit, closes the pull request and keeps its diff readable', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url })
    const client = await box.installation()
    const { pull_number, sha } = await openPull(client)
    const target = { ...REPO, pull_number }
    await commitTo(client, 'main', 'elsewhere.txt', 'kept\n')
    expect((await failure(client.rest.pulls.checkIfMerged(target))).status).toBe(404)
    const wrong = await failure(client.rest.pulls.merge({ ...target, sha: 'f'.repeat(40) }))
    expect(wrong.status).toBe(409)
    const merged = await client.rest.pulls.merge({ ...target, sha })
    const commit = await client.rest.git.getCommit({ ...REPO, commit_sha: merged.data.sha })
    expect(commit.data.parents.map((parent) => parent.sha)[1]).toBe(sha)
    expect(commit.data.message).toBe('Merge pull request #1 from acme/topic\n\nTry topic')
    expect(await readFile(client, 'src/a.txt')).toBe('one\n2\nthree\n')
    expect(await readFile(client, 'elsewhere.txt')).toBe('kept\n')
    expect((await client.rest.pulls.checkIfMerged(target)).status).toBe(204)
    expect((await client.rest.pulls.get(target)).data).toMatchObject({
      state: 'closed',
      merged: true,
      merged_by: { login: 'tester[bot]' },
      merge_commit_sha: merged.data.sha,
      changed_files: 1,
      commits: 1,
    })
    expect((await failure(client.rest.pulls.merge(target))).status).toBe(405)
    expect((await failure(client.rest.pulls.update({ ...target, state: 'open' }))).status).toBe(422)
    await box.settled()
    expect(actionsOf(receiver.received, 'pull_request')).toEqual([
      'pull_request.opened',
      'pull_request.closed',
    ])
    const closed = receiver.received.find(({ payload }) => payload.action === 'closed')
    expect(closed?.payload).toMatchObject({ pull_request: { merged: true } })
  })

  it('a conflicting merge is refused, and main keeps its change', async () => {
    const box = await startTestBox()
    const client = await box.installation()
    const { pull_number } = await openPull(client, { content: 'one\ntheirs\nthree\n' })
    const main = await commitTo(client, 'main', 'src/a.txt', 'one\nours\nthree\n')
    const target = { ...REPO, pull_number }
    expect((await client.rest.pulls.get(target)).data).toMatchObject({
      mergeable: false,
      mergeable_state: 'dirty',
    })
    for (const merge_method of ['merge', 'squash', 'rebase'] as const) {
      expect(await failure(client.rest.pulls.merge({ ...target, merge_method }))).toEqual({
        status: 405,
        message: 'Pull Request is not mergeable',
      })
    }
    expect((await failure(client.rest.pulls.updateBranch(target))).status).toBe(422)
    const head = await client.rest.git.getRef({ ...REPO, ref: 'heads/main' })
    expect(head.data.object.sha).toBe(main)
    expect(await readFile(client, 'src/a.txt')).toBe('one\nours\nthree\n')
  })

  it('concurrent merges lose nothing', async () => {
    const box = await startTestBox()
    const client = await box.installation()
    const names = ['a', 'b', 'c', 'd']
    for (const branch of names) await openPull(client, { branch, path: `${branch}.txt`, content: branch })
    const merge = async (index: number) => await client.rest.pulls.merge({ ...REPO, pull_number: index + 1 })
    const outcomes = await Promise.allSettled(names.map((_, index) => merge(index)))
    expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true)
    for (const [index, { status }] of outcomes.entries()) {
      const there = await readFile(client, `${names[index]}.txt`).catch(() => undefined)
      expect(there).toBe(status === 'fulfilled' ? names[index] : undefined)
    }
  })

  it('a pull request can be merged by squash and by rebase', async () => {
    const box = await startTestBox()
    const client = box.as('wendy')
    const squashed = await openPull(client, { branch: 'squash' })
    await commitTo(client, 'squash', 'more.txt', 'more\n')
    const rebased = await openPull(client, { branch: 'rebase', path: 'r.txt', content: 'r\n' })
    await commitTo(client, 'rebase', 'r.txt', 'r\nr\n')
    const before = (await client.rest.git.getRef({ ...REPO, ref: 'heads/main' })).data.object.sha
    const one = await client.rest.pulls.merge({
      ...REPO,
      pull_number: squashed.pull_number,
      merge_method: 'squash',
    })
    const commit = (await client.rest.git.getCommit({ ...REPO, commit_sha: one.data.sha })).data
    expect(commit.parents).toMatchObject([{ sha: before }])
    expect(commit.message).toContain('Try squash (#1)\n\n* change src/a.txt on squash\n\n* change more.txt')
    await client.rest.pulls.merge({ ...REPO, pull_number: rebased.pull_number, merge_method: 'rebase' })
    const log = (await client.rest.repos.listCommits({ ...REPO, per_page: 3 })).data
    expect(log.map((entry) => entry.commit.message)).toEqual([
      'change r.txt on rebase',
      'change r.txt on rebase',
      commit.message,
    ])
    expect(log.every((entry) => entry.parents.length === 1)).toBe(true)
    expect([await readFile(client, 'r.txt'), await readFile(client, 'more.txt')]).toEqual([
      'r\nr\n',
      'more\n',
    ])
  })

  it('a merge is refused for drafts, without permission, and by disabled methods', async () => {
    const box = await startTestBox()
    const client = await box.installation()
    const draft = await openPull(client, { draft: true })
    expect(await failure(client.rest.pulls.merge({ ...REPO, ...draft }))).toEqual({
      status: 405,
      message: 'Pull Request is still a draft',
    })
    const { pull_number } = await openPull(client, { branch: 'two' })
    const target = { ...REPO, pull_number }
    expect((await failure(box.as('tariq').rest.pulls.merge(target))).status).toBe(403)
    const weak = await box.installation({ pull_requests: 'write', contents: 'read' })
    expect((await failure(weak.rest.pulls.merge(target))).status).toBe(403)
    await box
      .as('olivia')
      .rest.repos.update({ ...REPO, allow_squash_merge: false, delete_branch_on_merge: true })
    expect((await failure(client.rest.pulls.merge({ ...target, merge_method: 'squash' }))).status).toBe(405)
    await client.rest.pulls.merge(target)
    expect((await failure(client.rest.git.getRef({ ...REPO, ref: 'heads/two' }))).status).toBe(404)
    expect((await client.rest.pulls.get(target)).data.merged).toBe(true)
  })

  it('a pull request counts as merged when its base receives its head in another way', async () => {
    const box = await startTestBox()
    const client = await box.installation()
    const { pull_number, sha } = await openPull(client)
    await client.rest.git.updateRef({ ...REPO, ref: 'heads/main', sha })
    expect((await client.rest.pulls.get({ ...REPO, pull_number })).data).toMatchObject({
      merged: true,
      merge_commit_sha: sha,
      changed_files: 1,
    })
  })

  it('a pull request is unstable while checks run or have failed', async () => {
    const box = await startTestBox()
    const client = await box.installation()
    const { pull_number, sha } = await openPull(client)
    const state = async () => (await client.rest.pulls.get({ ...REPO, pull_number })).data.mergeable_state
    const made = await client.rest.checks.create({ ...REPO, name: 'ci', head_sha: sha })
    expect(made.data.pull_requests).toMatchObject([{ number: pull_number, head: { sha } }])
    expect(await state()).toBe('unstable')
    await client.rest.checks.update({ ...REPO, check_run_id: made.data.id, conclusion: 'success' })
    expect(await state()).toBe('clean')
    await client.rest.repos.createCommitStatus({ ...REPO, sha, state: 'failure' })
    expect(await state()).toBe('unstable')
  })

  it('update-branch merges the base into the head', async () => {
    const box = await startTestBox()
    const client = box.as('wendy')
    const { pull_number, sha } = await openPull(client)
    await commitTo(client, 'main', 'new.txt', 'new\n')
    const target = { ...REPO, pull_number }
    expect((await client.rest.pulls.updateBranch({ ...target, expected_head_sha: sha })).status).toBe(202)
    const stale = client.rest.pulls.updateBranch({ ...target, expected_head_sha: sha })
    expect((await failure(stale)).status).toBe(422)
    expect(await readFile(client, 'new.txt', 'topic')).toBe('new\n')
    expect((await client.rest.pulls.get(target)).data).toMatchObject({ commits: 2, changed_files: 1 })
  })
})
