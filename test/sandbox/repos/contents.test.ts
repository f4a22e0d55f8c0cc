import { describe, expect, it } from 'vitest'
import { failure, REPO, startTestBox } from '../support.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

describe('contents', () => {
  it('the contents API reads files, folders, raw bytes and the readme', async () => {
    const box = await startTestBox()
    const { repos } = box.as('rita').rest
    const file = await repos.getContent({ ...REPO, path: 'src/a.txt' })
    expect(file.data).toMatchObject({
      type: 'file',
      name: 'a.txt',
      content: `${base64('one\ntwo\nthree\n')}\n`,
    })
    const root = await repos.getContent({ ...REPO, path: '' })
    expect(root.data).toMatchObject([
      { path: 'README.md', type: 'file' },
      { path: 'src', type: 'dir' },
    ])
    const raw = await repos.getContent({ ...REPO, path: 'src/a.txt', mediaType: { format: 'raw' } })
    expect(raw.data).toBe('one\ntwo\nthree\n')
    expect((await repos.getReadme(REPO)).data.path).toBe('README.md')
    expect((await failure(repos.getContent({ ...REPO, path: 'nope' }))).status).toBe(404)
    expect((await failure(repos.getContent({ ...REPO, path: 'src', ref: 'nope' }))).status).toBe(404)
  })

  it('a file is written, rewritten and deleted only from the version that was read', async () => {
    const box = await startTestBox()
    const { repos } = box.as('wendy').rest
    const target = { ...REPO, path: 'docs/new.md', message: 'm' }
    const made = await repos.createOrUpdateFileContents({ ...target, content: base64('1') })
    expect(made.status).toBe(201)
    const sha = made.data.content?.sha ?? ''
    const change = { ...target, content: base64('2') }
    expect((await failure(repos.createOrUpdateFileContents(change))).message).toContain("wasn't supplied")
    const stale = await failure(repos.createOrUpdateFileContents({ ...change, sha: 'a'.repeat(40) }))
    expect(stale.status).toBe(409)
    const changed = await repos.createOrUpdateFileContents({ ...change, sha })
    expect(changed.status).toBe(200)
    const gone = await repos.deleteFile({ ...target, sha: changed.data.content?.sha ?? '' })
    expect(gone.data.commit.parents).toMatchObject([{ sha: changed.data.commit.sha }])
    expect((await failure(repos.deleteFile({ ...target, sha }))).status).toBe(404)
    const nowhere = { ...target, content: base64('x'), branch: 'nope' }
    expect((await failure(repos.createOrUpdateFileContents(nowhere))).status).toBe(404)
  })

  it('an empty repository gets its first commit by contents, where Git Data refuses', async () => {
    const box = await startTestBox()
    const client = box.as('wendy').rest
    await client.repos.createForAuthenticatedUser({ name: 'empty' })
    const empty = { owner: 'wendy', repo: 'empty' }
    expect((await failure(client.git.createBlob({ ...empty, content: 'x' }))).status).toBe(409)
    expect((await failure(client.repos.listCommits(empty))).status).toBe(409)
    await client.repos.createOrUpdateFileContents({ ...empty, path: 'a', message: 'm', content: base64('a') })
    expect((await client.repos.listCommits(empty)).data).toHaveLength(1)
  })
})

describe('repositories', () => {
  it('admins change, rename, archive and delete a repository', async () => {
    const box = await startTestBox()
    const { repos } = box.as('olivia').rest
    await repos.update({ ...REPO, description: 'new', has_issues: false })
    const renamed = { owner: 'acme', repo: 'renamed' }
    await repos.update({ ...REPO, name: 'renamed' })
    expect((await repos.get(renamed)).data).toMatchObject({ description: 'new', has_issues: false })
    expect((await failure(repos.update({ ...renamed, default_branch: 'nope' }))).status).toBe(422)
    await repos.update({ ...renamed, archived: true })
    const blob = { ...renamed, content: 'x' }
    expect((await failure(box.as('wendy').rest.git.createBlob(blob))).message).toContain('archived')
    await repos.update({ ...renamed, archived: false })
    expect((await box.as('wendy').rest.git.createBlob(blob)).status).toBe(201)
    expect((await repos.replaceAllTopics({ ...renamed, names: ['x'] })).data.names).toEqual(['x'])
    await repos.delete(renamed)
    expect((await failure(repos.get(renamed))).status).toBe(404)
  })

  it('a repository name cannot be taken twice', async () => {
    const box = await startTestBox()
    const { repos } = box.as('sam').rest
    await repos.createForAuthenticatedUser({ name: 'mine', auto_init: true })
    expect((await failure(repos.createForAuthenticatedUser({ name: 'mine' }))).status).toBe(422)
    expect((await repos.listForAuthenticatedUser()).data.map((repo) => repo.name)).toEqual(['mine'])
  })
})
