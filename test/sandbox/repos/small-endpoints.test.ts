import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readZip } from '../actions/actions-support.ts'
import { failure, REPO, startReceiver, startTestBox } from '../support.ts'

describe('the API itself', () => {
  it("the API's root lists its addresses", async () => {
    const box = await startTestBox()
    const root = await box.client().rest.meta.root()
    expect(root.data.repository_url).toBe(`${box.apiUrl}/repos/{owner}/{repo}`)
    expect((await box.client().rest.meta.get()).data.verifiable_password_authentication).toBe(false)
  })
})

describe('repositories of accounts', () => {
  it('only admins create repositories in an organisation', async () => {
    const box = await startTestBox()
    const draft = { org: 'acme', name: 'new', visibility: 'private' as const, auto_init: true }
    expect((await failure(box.as('wendy').rest.repos.createInOrg(draft))).status).toBe(403)
    const { repos } = box.as('olivia').rest
    const made = await repos.createInOrg(draft)
    expect(made.data).toMatchObject({ full_name: 'acme/new', private: true, permissions: { admin: true } })
    expect((await failure(repos.createInOrg(draft))).status).toBe(422)
    expect((await failure(repos.createInOrg({ ...draft, org: 'olivia' }))).status).toBe(404)
  })

  it("an account's public repositories are listed for anyone", async () => {
    const box = await startTestBox()
    const { repos } = box.as('olivia').rest
    await repos.createInOrg({ org: 'acme', name: 'hidden', private: true })
    const listed = await box.client().rest.repos.listForUser({ username: 'acme' })
    expect(listed.data.map(({ name }) => name)).toEqual(['demo'])
    expect((await failure(repos.listForUser({ username: 'nobody' }))).status).toBe(404)
  })
})

describe('annotated tags', () => {
  it('an annotated tag is an object that a ref can name', async () => {
    const box = await startTestBox()
    const { git, repos } = box.as('wendy').rest
    const sha = (await git.getRef({ ...REPO, ref: 'heads/main' })).data.object.sha
    const draft = { ...REPO, tag: 'v1', message: 'first\n', object: sha, type: 'commit' as const }
    const tagger = { name: 'Ada', email: 'ada@example.com', date: '2026-01-01T00:00:00Z' }
    const made = await git.createTag({ ...draft, tagger })
    expect(made.data).toMatchObject({ tag: 'v1', message: 'first', tagger, object: { sha, type: 'commit' } })
    const read = await git.getTag({ ...REPO, tag_sha: made.data.sha })
    expect(read.data).toEqual(made.data)
    await git.createRef({ ...REPO, ref: 'refs/tags/v1', sha: made.data.sha })
    const ref = await git.getRef({ ...REPO, ref: 'tags/v1' })
    expect(ref.data.object).toMatchObject({ type: 'tag', sha: made.data.sha })
    expect((await repos.listTags(REPO)).data[0]?.commit.sha).toBe(sha)
    expect((await failure(git.createTag({ ...draft, type: 'tree' }))).status).toBe(422)
    expect((await failure(git.createTag({ ...draft, object: 'f'.repeat(40) }))).status).toBe(422)
    expect((await failure(git.createTag({ ...draft, tag: 'a b' }))).status).toBe(422)
    expect((await failure(git.getTag({ ...REPO, tag_sha: sha }))).status).toBe(404)
    expect((await failure(box.as('rita').rest.git.createTag(draft))).status).toBe(403)
  })
})

describe('archives', () => {
  it('an archive holds the files of a ref, as zip and as tar', async () => {
    const box = await startTestBox({ private: true, files: { 'a/b.ts': 'let a\n', 'c.js': 'c()\n' } })
    const { repos, git } = box.as('rita').rest
    const sha = (await git.getRef({ ...REPO, ref: 'heads/main' })).data.object.sha
    const folder = `acme-demo-${sha.slice(0, 7)}`
    const zip = await repos.downloadZipballArchive({ ...REPO, ref: 'main' })
    const files = { [`${folder}/a/b.ts`]: 'let a\n', [`${folder}/c.js`]: 'c()\n' }
    expect(await readZip(zip.data)).toMatchObject(files)
    const tar = await repos.downloadTarballArchive({ ...REPO, ref: sha })
    expect(await listTar(tar.data)).toContain(`${folder}/a/b.ts`)
    expect((await failure(repos.downloadTarballArchive({ ...REPO, ref: 'none' }))).status).toBe(404)
    expect(
      (await failure(box.as('sam').rest.repos.downloadZipballArchive({ ...REPO, ref: 'main' }))).status,
    ).toBe(404)
    expect((await repos.listLanguages(REPO)).data).toEqual({ TypeScript: 6, JavaScript: 4 })
  })
})

async function listTar(bytes: unknown): Promise<string[]> {
  if (!(bytes instanceof ArrayBuffer)) throw new Error('not bytes')
  const folder = await mkdtemp(join(tmpdir(), 'loreley-tar-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'a.tar.gz'), Buffer.from(bytes))
  const { stdout } = await promisify(execFile)('tar', ['-tzf', 'a.tar.gz'], { cwd: folder })
  return stdout.split('\n')
}

describe('repository_dispatch', () => {
  it("a repository_dispatch reaches Apps with the caller's payload", async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url })
    const client = await box.installation({ contents: 'write' })
    const draft = { ...REPO, event_type: 'go', client_payload: { level: 3 } }
    expect((await client.rest.repos.createDispatchEvent(draft)).status).toBe(204)
    await box.settled()
    const told = receiver.received.find((one) => one.event === 'repository_dispatch')
    expect(told?.payload).toMatchObject({ action: 'go', branch: 'main', client_payload: { level: 3 } })
    const big = { ...draft, client_payload: { text: 'x'.repeat(65_536) } }
    expect((await failure(client.rest.repos.createDispatchEvent(big))).status).toBe(422)
    expect((await failure(box.as('rita').rest.repos.createDispatchEvent(draft))).status).toBe(403)
  })
})
