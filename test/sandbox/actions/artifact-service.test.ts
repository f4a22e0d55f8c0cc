import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DefaultArtifactClient } from '@actions/artifact'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Job } from '../../../src/sandbox/actions/documents.ts'
import { completeJob, queueJob, startJob } from '../../../src/sandbox/actions/runs/jobs.ts'
import { rerun } from '../../../src/sandbox/actions/runs/runs.ts'
import { getUser } from '../../../src/sandbox/state/lookups.ts'
import { REPO, type TestBox, type TestBoxOptions } from '../support.ts'
import { actAs, callService, type ServiceRequest } from './acting-job.ts'
import { dispatched, JOB, readZip } from './actions-support.ts'

/** A sandbox with a running job and GitHub's own client acting for it. */
async function working(options: TestBoxOptions = {}) {
  const { box, run } = await dispatched(options)
  const job = await queueJob(box.box, run, JOB)
  await startJob(box.box, job.id, 'here')
  const folder = await mkdtemp(join(tmpdir(), 'loreley-artifacts-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  actAs(box, job)
  return { box, run, job, folder, client: new DefaultArtifactClient() }
}

async function write(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<string[]> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return Object.keys(files).map((name) => join(folder, name))
}

const call = (box: TestBox, method: string, more?: ServiceRequest) =>
  callService(box, `ArtifactService/${method}`, more)

const ids = (job: Job) => ({
  workflow_run_backend_id: String(job.runId),
  workflow_job_run_backend_id: String(job.id),
})

describe("GitHub's own artifact client", () => {
  it("GitHub's client uploads, lists and downloads while the run goes on, and REST shows the same", async () => {
    const { box, run, folder, client } = await working()
    const files = await write(folder, { 'a.txt': 'one\n', 'deep/näme.txt': 'two\n' })
    const made = await client.uploadArtifact('result', files, folder, { retentionDays: 3 })
    const listed = await client.listArtifacts()
    expect(listed.artifacts).toMatchObject([
      { id: made.id, name: 'result', size: made.size, digest: `sha256:${made.digest}` },
    ])
    const path = join(folder, 'got')
    const expectedHash = `sha256:${made.digest}`
    const got = await client.downloadArtifact(made.id ?? 0, { path, expectedHash })
    expect(got).toEqual({ downloadPath: path, digestMismatch: false })
    expect(await readFile(join(path, 'deep/näme.txt'), 'utf8')).toBe('two\n')
    const { actions } = (await box.installation({ actions: 'read' })).rest
    const [shown] = (await actions.listWorkflowRunArtifacts({ ...REPO, run_id: run.id })).data.artifacts
    expect(shown).toMatchObject({ id: made.id, digest: expectedHash, size_in_bytes: made.size })
    const days = (Date.parse(shown?.expires_at ?? '') - Date.parse(shown?.created_at ?? '')) / 86_400_000
    expect(Math.round(days)).toBe(3)
    const zip = await actions.downloadArtifact({ ...REPO, artifact_id: made.id ?? 0, archive_format: 'zip' })
    expect(await readZip(zip.data)).toEqual({ 'a.txt': 'one\n', 'deep/näme.txt': 'two\n' })
  })

  it('a name is refused twice in an attempt, and a replacement gets a new id', async () => {
    const { folder, client } = await working()
    const files = await write(folder, { 'a.txt': 'one\n' })
    const first = await client.uploadArtifact('result', files, folder)
    const again = client.uploadArtifact('result', files, folder)
    await expect(again).rejects.toThrow(
      '(409) Conflict: an artifact with this name already exists on the workflow run',
    )
    expect(await client.deleteArtifact('result')).toEqual({ id: first.id })
    await expect(client.getArtifact('result')).rejects.toThrow('not found')
    const second = await client.uploadArtifact('result', files, folder)
    expect(second.id).not.toBe(first.id)
    await expect(client.downloadArtifact(first.id ?? 0, { path: folder })).rejects.toThrow(
      'No artifacts found for ID',
    )
  })

  it('an upload in many blocks leaves only the artifact on disk', async () => {
    const { box, folder, client } = await working()
    const content = randomBytes(20_000_000)
    const files = await write(folder, { 'big.bin': content })
    const made = await client.uploadArtifact('big', files, folder, { compressionLevel: 0 })
    expect(made.size).toBeGreaterThan(content.length)
    expect(readdirSync(join(box.folder, 'actions', 'uploads'))).toEqual([])
    const path = join(folder, 'got')
    await client.downloadArtifact(made.id ?? 0, { path })
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
    expect(digest(await readFile(join(path, 'big.bin')))).toBe(digest(content))
  })

  it('a single file can be uploaded unzipped', async () => {
    const { folder, client } = await working()
    const files = await write(folder, { 'report.html': '<p>fine</p>' })
    const made = await client.uploadArtifact('ignored', files, folder, { skipArchive: true })
    const path = join(folder, 'got')
    await client.downloadArtifact(made.id ?? 0, { path })
    expect(await readFile(join(path, 'report.html'), 'utf8')).toBe('<p>fine</p>')
  })

  it("an attempt sees an earlier attempt's artifacts and may reuse their names", async () => {
    const { box, run, job, folder, client } = await working()
    const files = await write(folder, { 'a.txt': 'one\n' })
    const first = await client.uploadArtifact('result', files, folder)
    await completeJob(box.box, job.id, 'failure')
    const scope = { kind: 'all' } as const
    const second = await rerun(box.box, run, { actor: getUser(box.box.store, 'wendy'), scope })
    actAs(box, await queueJob(box.box, second, JOB))
    const later = await client.uploadArtifact('result', files, folder)
    const all = await client.listArtifacts()
    expect(all.artifacts.map(({ id }) => id)).toEqual([first.id, later.id])
    const latest = await client.listArtifacts({ latest: true })
    expect(latest.artifacts.map(({ id }) => id)).toEqual([later.id])
  })

  it('an artifact above the size limit is refused', async () => {
    const { folder, client, box } = await working({ settings: { maxArtifactBytes: 1000 } })
    const files = await write(folder, { 'big.bin': randomBytes(5000) })
    await expect(client.uploadArtifact('big', files, folder)).rejects.toThrow('RequestBodyTooLarge')
    const { actions } = box.as('rita').rest
    expect((await actions.listArtifactsForRepo(REPO)).data.total_count).toBe(0)
  })
})

describe('the artifact service', () => {
  it('the artifact service accepts only the token of a running job', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z')
    const { box, job } = await working({ now: () => new Date(now) })
    const token = process.env.ACTIONS_RUNTIME_TOKEN ?? ''
    const body = ids(job)
    expect(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).scp).toBe(
      `Actions.Results:${job.runId}:${job.id}`,
    )
    expect(await call(box, 'ListArtifacts', { body })).toEqual({ status: 200, json: { artifacts: [] } })
    for (const wrong of ['nope', `${token}x`, token.replace(/^[^.]+/, 'e30'), box.token('olivia')]) {
      expect((await call(box, 'ListArtifacts', { body, token: wrong })).status).toBe(401)
    }
    const foreign = { ...body, workflow_run_backend_id: '1' }
    expect((await call(box, 'ListArtifacts', { body: foreign })).json.code).toBe('permission_denied')
    now += 6 * 3600 * 1000
    expect((await call(box, 'ListArtifacts', { body })).json.code).toBe('unauthenticated')
    now -= 3600 * 1000
    expect((await call(box, 'ListArtifacts', { body })).status).toBe(200)
    await completeJob(box.box, job.id, 'success')
    expect((await call(box, 'ListArtifacts', { body })).json.code).toBe('unauthenticated')
  })

  it('the artifact service refuses malformed requests', async () => {
    const { box, job } = await working()
    const code = async (method: string, body?: unknown) => (await call(box, method, { body })).json.code
    expect(await code('Nothing')).toBe('bad_route')
    expect(await code('ListArtifacts', '{')).toBe('malformed')
    for (const name of ['', 'a/b', 'a\nb', 'x'.repeat(300)]) {
      expect(await code('CreateArtifact', { ...ids(job), name })).toBe('invalid_argument')
    }
    expect(await code('CreateArtifact', { ...ids(job), name: 'a', expires_at: 'soon' })).toBe(
      'invalid_argument',
    )
    expect(await code('FinalizeArtifact', { ...ids(job), name: 'a' })).toBe('not_found')
    expect(await code('GetSignedArtifactURL', { ...ids(job), name: 'a' })).toBe('not_found')
    expect(await code('CreateArtifact', { ...ids(job), workflow_job_run_backend_id: '7', name: 'a' })).toBe(
      'permission_denied',
    )
  })

  it('an artifact is finalized only with its true size and digest', async () => {
    const { box, job } = await working()
    const body = { ...ids(job), name: 'a' }
    const { signed_upload_url: link } = (await call(box, 'CreateArtifact', { body })).json
    expect((await call(box, 'FinalizeArtifact', { body })).json.code).toBe('failed_precondition')
    const put = async (query: string, content: string) =>
      (await fetch(`${link}${query}`, { method: 'PUT', body: content })).status
    expect(await put('&comp=blocklist', '<BlockList><Latest>AAAA</Latest></BlockList>')).toBe(400)
    expect(await put('&comp=block&blockid=AAAA', 'hello ')).toBe(201)
    expect(await put('&comp=block&blockid=Li4vLi4v', 'world')).toBe(201)
    const list = '<BlockList><Latest>AAAA</Latest><Latest>Li4vLi4v</Latest></BlockList>'
    expect(await put('&comp=blocklist', list)).toBe(201)
    const wrong = [{ size: '3' }, { size: '11', hash: `sha256:${'0'.repeat(64)}` }]
    for (const claim of wrong) {
      expect((await call(box, 'FinalizeArtifact', { body: { ...body, ...claim } })).status).toBe(400)
    }
    const hash = `sha256:${createHash('sha256').update('hello world').digest('hex')}`
    const done = await call(box, 'FinalizeArtifact', { body: { ...body, size: '11', hash } })
    expect(done).toMatchObject({ status: 200, json: { ok: true } })
    expect(await put('', 'more')).toBe(404)
  })

  it('upload links cannot be altered, and unfinished uploads go with their job', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z')
    const { box, run, job } = await working({ now: () => new Date(now) })
    const { signed_upload_url: link } = (
      await call(box, 'CreateArtifact', { body: { ...ids(job), name: 'a' } })
    ).json
    const put = async (url: string) => (await fetch(url, { method: 'PUT', body: 'whole' })).status
    expect(await put(link.replace(/uploads\/\d+/, 'uploads/99'))).toBe(403)
    expect((await fetch(link)).status).toBe(405)
    expect(await put(link)).toBe(201)
    now += 3_600_000
    expect(await put(link)).toBe(403)
    await completeJob(box.box, job.id, 'cancelled')
    const next = await queueJob(box.box, run, { ...JOB, name: 'next' })
    actAs(box, next)
    expect((await call(box, 'CreateArtifact', { body: { ...ids(next), name: 'a' } })).status).toBe(200)
    expect(existsSync(join(box.folder, 'actions', 'uploads', '1'))).toBe(false)
  })
})
