import type { Octokit } from '@octokit/rest'
import { describe, expect, it } from 'vitest'
import { failure, REPO, startTestBox } from '../support.ts'

async function write(
  client: Octokit,
  branch: string,
  files: Readonly<Record<string, string | null>>,
): Promise<string> {
  const ref = `heads/${branch}`
  const parent = (await client.rest.git.getRef({ ...REPO, ref })).data.object.sha
  const tree = Object.entries(files).map(([path, content]) => {
    const entry = { path, mode: '100644' as const, type: 'blob' as const }
    return content === null ? { ...entry, sha: null } : { ...entry, content }
  })
  const made = await client.rest.git.createTree({ ...REPO, base_tree: parent, tree })
  const message = `change ${Object.keys(files).join(' ')}`
  const commit = await client.rest.git.createCommit({
    ...REPO,
    message,
    tree: made.data.sha,
    parents: [parent],
  })
  await client.rest.git.updateRef({ ...REPO, ref, sha: commit.data.sha })
  return commit.data.sha
}

async function branch(client: Octokit, name: string): Promise<void> {
  const head = await client.rest.git.getRef({ ...REPO, ref: 'heads/main' })
  await client.rest.git.createRef({ ...REPO, ref: `refs/heads/${name}`, sha: head.data.object.sha })
}

describe('commits', () => {
  it('a commit shows real diffs: added, changed, removed, renamed', async () => {
    const box = await startTestBox({
      files: { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n', 'c.txt': '1\n2\n3\n4\n5\n' },
    })
    const client = box.as('wendy')
    const sha = await write(client, 'main', {
      'a.txt': 'one\n2\n',
      'b.txt': null,
      'c.txt': null,
      'moved/c.txt': '1\n2\n3\n4\n5\n',
      'n ü.txt': 'new\n',
    })
    const { data } = await client.rest.repos.getCommit({ ...REPO, ref: sha })
    expect(data.stats).toEqual({ total: 4, additions: 2, deletions: 2 })
    expect(
      data.files?.map(({ filename, status, previous_filename }) => [filename, status, previous_filename]),
    ).toEqual([
      ['a.txt', 'modified', undefined],
      ['b.txt', 'removed', undefined],
      ['moved/c.txt', 'renamed', 'c.txt'],
      ['n ü.txt', 'added', undefined],
    ])
    expect(data.files?.[0]?.patch).toBe('@@ -1,2 +1,2 @@\n one\n-two\n+2')
    expect(data.author?.login).toBe('wendy')
    const diff = await client.rest.repos.getCommit({ ...REPO, ref: 'main', mediaType: { format: 'diff' } })
    expect(String(diff.data)).toContain('rename to moved/c.txt')
    expect((await failure(client.rest.repos.getCommit({ ...REPO, ref: 'nope' }))).status).toBe(422)
  })

  it('commits are listed by branch and path, in pages with links', async () => {
    const box = await startTestBox()
    const client = box.as('wendy')
    for (const text of ['1', '2', '3']) await write(client, 'main', { 'src/a.txt': text })
    const page = await client.rest.repos.listCommits({ ...REPO, per_page: 2 })
    expect(page.data).toHaveLength(2)
    expect(page.headers.link).toContain('rel="next"')
    const all = await client.paginate(client.rest.repos.listCommits, {
      ...REPO,
      per_page: 1,
      path: 'src/a.txt',
    })
    expect(all).toHaveLength(4)
    expect((await failure(client.rest.repos.listCommits({ ...REPO, sha: 'nope' }))).status).toBe(404)
  })

  it('a comparison starts at the common ancestor of diverged branches', async () => {
    const box = await startTestBox()
    const client = box.as('wendy')
    await branch(client, 'side/one')
    await write(client, 'main', { 'main.txt': 'm\n' })
    const head = await write(client, 'side/one', { 'side.txt': 's\n' })
    const compare = async (basehead: string) =>
      (await client.rest.repos.compareCommitsWithBasehead({ ...REPO, basehead })).data
    const diverged = await compare('main...side/one')
    expect(diverged).toMatchObject({
      status: 'diverged',
      ahead_by: 1,
      behind_by: 1,
      commits: [{ sha: head }],
    })
    expect(diverged.files?.map((file) => file.filename)).toEqual(['side.txt'])
    expect((await compare(`${head}...side/one`)).status).toBe('identical')
    expect((await failure(compare('main...nope'))).status).toBe(404)
  })

  it('a merge really merges branches and reports a conflict', async () => {
    const box = await startTestBox()
    const client = box.as('wendy')
    await branch(client, 'clean')
    await branch(client, 'clash')
    await write(client, 'main', { 'src/a.txt': 'ONE\ntwo\nthree\n' })
    await write(client, 'clean', { 'other.txt': 'o\n' })
    await write(client, 'clash', { 'src/a.txt': 'eins\ntwo\nthree\n' })
    const merged = await client.rest.repos.merge({ ...REPO, base: 'main', head: 'clean' })
    expect(merged.data.parents).toHaveLength(2)
    const again = await client.rest.repos.merge({ ...REPO, base: 'main', head: 'clean' })
    expect(again.status).toBe(204)
    const kept = await client.rest.repos.getContent({
      ...REPO,
      path: 'src/a.txt',
      mediaType: { format: 'raw' },
    })
    expect(kept.data).toBe('ONE\ntwo\nthree\n')
    const clash = await failure(client.rest.repos.merge({ ...REPO, base: 'main', head: 'clash' }))
    expect(clash).toEqual({ status: 409, message: 'Merge conflict' })
    expect((await failure(client.rest.repos.merge({ ...REPO, base: 'nope', head: 'main' }))).status).toBe(404)
  })

  it('branches and tags are listed', async () => {
    const box = await startTestBox()
    const client = box.as('wendy')
    await branch(client, 'a/b')
    const head = (await client.rest.repos.getBranch({ ...REPO, branch: 'a/b' })).data.commit.sha
    await client.rest.git.createRef({ ...REPO, ref: 'refs/tags/v1', sha: head })
    expect((await client.rest.repos.listBranches(REPO)).data.map(({ name }) => name)).toEqual(['a/b', 'main'])
    expect((await client.rest.repos.listTags(REPO)).data.map(({ name }) => name)).toEqual(['v1'])
    expect((await failure(client.rest.repos.getBranch({ ...REPO, branch: 'x' }))).message).toBe(
      'Branch not found',
    )
  })
})
