import type { Octokit } from '@octokit/rest'
import { describe, expect, it } from 'vitest'
import { failure, REPO, startReceiver, startTestBox } from '../support.ts'

async function main(client: Octokit): Promise<{ sha: string; tree: string }> {
  const ref = await client.rest.git.getRef({ ...REPO, ref: 'heads/main' })
  const commit = await client.rest.git.getCommit({ ...REPO, commit_sha: ref.data.object.sha })
  return { sha: commit.data.sha, tree: commit.data.tree.sha }
}

async function childOf(
  client: Octokit,
  parent: { sha: string; tree: string },
  message: string,
): Promise<string> {
  const draft = { ...REPO, message, tree: parent.tree, parents: [parent.sha] }
  return (await client.rest.git.createCommit(draft)).data.sha
}

describe('refs', () => {
  it('refs of any namespace are created, read, listed, moved and deleted', async () => {
    const box = await startTestBox()
    const client = await box.installation()
    const head = await main(client)
    for (const ref of [
      'refs/heads/a/b',
      'refs/loreley/keep/x/0001',
      'refs/loreley/keep/x/0002',
      'refs/tags/v1',
    ]) {
      await client.rest.git.createRef({ ...REPO, ref, sha: head.sha })
    }
    const listed = await client.rest.git.listMatchingRefs({ ...REPO, ref: 'loreley/keep/' })
    expect(listed.data.map(({ ref }) => ref)).toEqual([
      'refs/loreley/keep/x/0001',
      'refs/loreley/keep/x/0002',
    ])
    const next = await childOf(client, head, 'next')
    const moved = await client.rest.git.updateRef({ ...REPO, ref: 'heads/a/b', sha: next })
    expect(moved.data.object.sha).toBe(next)
    await client.rest.git.deleteRef({ ...REPO, ref: 'heads/a/b' })
    expect((await failure(client.rest.git.getRef({ ...REPO, ref: 'heads/a/b' }))).status).toBe(404)
    expect((await client.request(`GET /repos/acme/demo/git/ref/loreley/keep/x/0001`)).status).toBe(200)
  })

  it("a bad ref request gets GitHub's errors", async () => {
    const box = await startTestBox()
    const client = box.as('wendy')
    const head = await main(client)
    const create = (ref: string, sha = head.sha) => failure(client.rest.git.createRef({ ...REPO, ref, sha }))
    expect(await create('refs/heads/main')).toEqual({ status: 422, message: 'Reference already exists' })
    expect(await create('refs/heads/x', 'f'.repeat(40))).toEqual({
      status: 422,
      message: 'Object does not exist',
    })
    expect((await create('refs/heads/x', head.tree)).message).toBe('Object is not a commit')
    expect((await create('heads/x')).status).toBe(422)
    expect((await create('refs/pull/1/head')).status).toBe(422)
    expect((await create('refs/heads/main/x')).message).toBe('Reference update failed')
    const gone = { ...REPO, ref: 'heads/none' }
    expect((await failure(client.rest.git.deleteRef(gone))).message).toBe('Reference does not exist')
    const moved = await failure(client.rest.git.updateRef({ ...gone, sha: head.sha }))
    expect(moved.message).toBe('Reference does not exist')
  })

  it('a ref update that loses commits needs force', async () => {
    const box = await startTestBox()
    const client = box.as('wendy')
    const head = await main(client)
    const [one, two] = [await childOf(client, head, 'one'), await childOf(client, head, 'two')]
    await client.rest.git.updateRef({ ...REPO, ref: 'heads/main', sha: one })
    const refused = await failure(client.rest.git.updateRef({ ...REPO, ref: 'heads/main', sha: two }))
    expect(refused).toEqual({ status: 422, message: 'Update is not a fast forward' })
    const forced = await client.rest.git.updateRef({ ...REPO, ref: 'heads/main', sha: two, force: true })
    expect(forced.data.object.sha).toBe(two)
  })

  it('exactly one of 20 parallel updates from the same parent wins', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url })
    const client = await box.installation()
    const head = await main(client)
    const commits = await Promise.all(
      Array.from({ length: 20 }, (_, index) => childOf(client, head, `${index}`)),
    )
    const outcomes = await Promise.all(
      commits.map((sha) =>
        client.rest.git.updateRef({ ...REPO, ref: 'heads/main', sha }).then(
          () => 'won',
          (error: Error) => error.message.split(' - ')[0],
        ),
      ),
    )
    expect(outcomes.filter((outcome) => outcome === 'won')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'Update is not a fast forward')).toHaveLength(19)
    await box.settled()
    expect(receiver.names().filter((name) => name === 'push')).toHaveLength(1)
  })

  it('an App without the workflows permission cannot change workflow files, unless the guard is off', async () => {
    const box = await startTestBox({ files: { '.github/workflows/ci.yml': 'on: push\n', 'a.txt': 'a\n' } })
    const client = await box.installation({ contents: 'write' })
    const head = await main(client)
    const changed = await client.rest.git.createTree({
      ...REPO,
      base_tree: head.tree,
      tree: [{ path: '.github/workflows/ci.yml', mode: '100644', type: 'blob', content: 'on: create\n' }],
    })
    const bad = await childOf(client, { sha: head.sha, tree: changed.data.sha }, 'workflow')
    const good = await childOf(client, head, 'plain')
    await client.rest.git.createRef({ ...REPO, ref: 'refs/heads/good', sha: good })
    const create = () => client.rest.git.createRef({ ...REPO, ref: 'refs/heads/bad', sha: bad })
    expect((await failure(create())).status).toBe(403)
    const allowed = await box.installation({ contents: 'write', workflows: 'write' })
    await allowed.rest.git.createRef({ ...REPO, ref: 'refs/heads/allowed', sha: bad })
    box.settings.guardWorkflows = false
    expect((await create()).status).toBe(201)
  })
})
