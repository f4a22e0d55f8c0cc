import type { Octokit } from '@octokit/rest'
import { describe, expect, it } from 'vitest'
import { failure, REPO, startTestBox } from '../support.ts'

async function headOf(client: Octokit) {
  const ref = await client.rest.git.getRef({ ...REPO, ref: 'heads/main' })
  const commit = await client.rest.git.getCommit({ ...REPO, commit_sha: ref.data.object.sha })
  return commit.data
}

describe('trees', () => {
  it('a tree is made of inline content on a base tree, with deletions', async () => {
    const box = await startTestBox()
    const client = await box.installation()
    const head = await headOf(client)
    const made = await client.rest.git.createTree({
      ...REPO,
      base_tree: head.tree.sha,
      tree: [
        { path: 'src/new/b.txt', mode: '100644', type: 'blob', content: 'inline\n' },
        { path: 'README.md', mode: '100644', type: 'blob', sha: null },
      ],
    })
    const whole = await client.rest.git.getTree({ ...REPO, tree_sha: made.data.sha, recursive: '1' })
    expect(whole.data.tree.map((entry) => entry.path)).toEqual([
      'src',
      'src/a.txt',
      'src/new',
      'src/new/b.txt',
    ])
  })

  it('a tree cannot delete a path that its base does not have', async () => {
    const box = await startTestBox()
    const client = box.as('wendy')
    const head = await headOf(client)
    const tree = [{ path: 'nowhere', mode: '100644' as const, type: 'blob' as const, sha: null }]
    const refused = await failure(client.rest.git.createTree({ ...REPO, base_tree: head.tree.sha, tree }))
    expect(refused).toEqual({ status: 422, message: 'GitRPC::BadObjectState' })
  })

  it('a tree refuses unknown blobs, content beside a sha, and paths that leave it', async () => {
    const box = await startTestBox()
    const client = box.as('wendy')
    const base = { mode: '100644' as const, type: 'blob' as const }
    const sha = '0123456789012345678901234567890123456789'
    const attempt = (entry: object) =>
      failure(
        client.request('POST /repos/{owner}/{repo}/git/trees', { ...REPO, tree: [{ ...base, ...entry }] }),
      )
    expect((await attempt({ path: 'a', sha })).message).toBe(`tree.sha ${sha} is not a valid blob`)
    expect((await attempt({ path: 'a', sha, content: 'x' })).status).toBe(422)
    expect((await attempt({ path: '../a', content: 'x' })).status).toBe(422)
    expect((await attempt({ path: 'a', mode: '123456', content: 'x' })).status).toBe(422)
  })
})

describe('blobs and commits', () => {
  it('a blob keeps bytes that are not text', async () => {
    const box = await startTestBox()
    const client = await box.installation()
    const bytes = Buffer.from([0, 255, 10, 13, 0])
    const made = await client.rest.git.createBlob({
      ...REPO,
      content: bytes.toString('base64'),
      encoding: 'base64',
    })
    const read = await client.rest.git.getBlob({ ...REPO, file_sha: made.data.sha })
    expect(Buffer.from(read.data.content, 'base64')).toEqual(bytes)
    expect((await failure(client.rest.git.getBlob({ ...REPO, file_sha: 'f'.repeat(40) }))).status).toBe(404)
  })

  it('a commit keeps author, date and message as given', async () => {
    const box = await startTestBox()
    const client = await box.installation()
    const head = await headOf(client)
    const author = { name: 'Ann', email: 'ann@example.com', date: '2020-02-03T04:05:06Z' }
    const made = await client.rest.git.createCommit({
      ...REPO,
      message: 'subject [skip ci]\n\nbody',
      tree: head.tree.sha,
      parents: [head.sha],
      author,
    })
    expect(made.data).toMatchObject({ author, committer: author, message: 'subject [skip ci]\n\nbody' })
    const list = await client.rest.repos.listCommits({ ...REPO, sha: made.data.sha })
    expect(list.data.map((commit) => commit.sha)).toEqual([made.data.sha, head.sha])
  })

  it('a commit with an unknown tree or parent is refused', async () => {
    const box = await startTestBox()
    const client = box.as('wendy')
    const head = await headOf(client)
    const draft = { ...REPO, message: 'm', tree: head.tree.sha, parents: [head.tree.sha] }
    expect((await failure(client.rest.git.createCommit(draft))).message).toContain(
      'Parent SHA does not exist',
    )
    const unknown = { ...draft, parents: [], tree: 'a'.repeat(40) }
    expect((await failure(client.rest.git.createCommit(unknown))).message).toBe('Tree SHA does not exist')
  })
})
