import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readZip } from '../actions/actions-support.ts'
import { REPO } from '../support.ts'
import { type JobWorkspace, startJobWorkspace, writeFiles } from './stand-in-steps.ts'

const UPLOAD = 'actions/upload-artifact@v4'
const DOWNLOAD = 'actions/download-artifact@v5'

async function filesOf(job: JobWorkspace, id: string | undefined): Promise<unknown> {
  const { actions } = job.box.as('rita').rest
  const got = await actions.downloadArtifact({ ...REPO, artifact_id: Number(id), archive_format: 'zip' })
  return await readZip(got.data)
}

describe('the stand-in for actions/upload-artifact', () => {
  it("upload-artifact takes files, folders, patterns and exclusions under GitHub's names", async () => {
    const job = await startJobWorkspace()
    await writeFiles(job.workspace, {
      'out/a/1.txt': '1',
      'out/b/2.log': '2',
      'out/.hidden': 'h',
      'top.txt': 't',
    })
    const cases: [name: string, path: string, files: Record<string, string>][] = [
      ['file', 'out/a/1.txt', { '1.txt': '1' }],
      ['folder', 'out', { 'a/1.txt': '1', 'b/2.log': '2' }],
      ['pattern', 'out/*/*.txt', { 'a/1.txt': '1' }],
      ['several', 'out/**\ntop.txt\n!out/**/*.log', { 'out/a/1.txt': '1', 'top.txt': 't' }],
    ]
    for (const [name, path, files] of cases) {
      const done = await job.step(UPLOAD, { name, path })
      expect([done.exitCode, await filesOf(job, done.outputs['artifact-id'])]).toEqual([0, files])
      expect(done.outputs['artifact-digest']).toMatch(/^[0-9a-f]{64}$/)
      expect(done.outputs['artifact-url']).toMatch(/\/acme\/demo\/actions\/runs\/\d+\/artifacts\/\d+$/)
    }
    const all = await job.step(UPLOAD, { name: 'all', path: 'out', 'include-hidden-files': 'true' })
    expect(await filesOf(job, all.outputs['artifact-id'])).toMatchObject({ '.hidden': 'h' })
  })

  it('upload-artifact warns, fails or stays silent when there is nothing to upload', async () => {
    const job = await startJobWorkspace()
    const run = (choice: string) => job.step(UPLOAD, { path: 'none/**', 'if-no-files-found': choice })
    expect(await run('warn')).toMatchObject({
      exitCode: 0,
      log: expect.stringContaining('::warning::No files'),
    })
    expect(await run('ignore')).toMatchObject({
      exitCode: 0,
      log: expect.not.stringContaining('::warning::'),
    })
    expect(await run('error')).toMatchObject({
      exitCode: 1,
      log: expect.stringContaining('::error::No files'),
    })
    expect(await run('maybe')).toMatchObject({ exitCode: 1, outputs: {} })
  })

  it('upload-artifact refuses a taken name, and replaces it on demand under a new id', async () => {
    const job = await startJobWorkspace()
    await writeFiles(job.workspace, { 'a.txt': '1' })
    const upload = (more: Record<string, string> = {}) =>
      job.step(UPLOAD, { name: 'x', path: 'a.txt', ...more })
    const first = await upload()
    expect(await upload()).toMatchObject({ exitCode: 1, log: expect.stringContaining('(409) Conflict') })
    const second = await upload({ overwrite: 'true', 'retention-days': '2' })
    expect(second.exitCode).toBe(0)
    expect(second.outputs['artifact-id']).not.toBe(first.outputs['artifact-id'])
    expect((await upload({ name: 'y', overwrite: 'true' })).exitCode).toBe(0)
  })
})

describe('the stand-in for actions/download-artifact', () => {
  it('download-artifact unpacks one artifact directly, and several into folders or merged', async () => {
    const job = await startJobWorkspace()
    await writeFiles(job.workspace, { 'a/1.txt': '1', 'b/2.txt': '2' })
    const a = await job.step(UPLOAD, { name: 'part-a', path: 'a' })
    const b = await job.step(UPLOAD, { name: 'part-b', path: 'b' })
    const ids = [a.outputs['artifact-id'], b.outputs['artifact-id']]
    const cases: [inputs: Record<string, string>, files: string[]][] = [
      [{ name: 'part-a' }, ['1.txt']],
      [{}, ['part-a/1.txt', 'part-b/2.txt']],
      [{ pattern: '*-b' }, ['part-b/2.txt']],
      [{ pattern: 'part-*', 'merge-multiple': 'true' }, ['1.txt', '2.txt']],
      [{ 'artifact-ids': String(ids[1]) }, ['2.txt']],
      [{ 'artifact-ids': ids.join(', ') }, ['part-a/1.txt', 'part-b/2.txt']],
    ]
    for (const [index, [inputs, files]] of cases.entries()) {
      const path = `got-${index}`
      const done = await job.step(DOWNLOAD, { ...inputs, path })
      const folder = join(job.workspace, path)
      expect(done).toMatchObject({ exitCode: 0, outputs: { 'download-path': folder } })
      expect(files.filter((name) => !existsSync(join(folder, name)))).toEqual([])
    }
    expect(readFileSync(join(job.workspace, 'got-0/1.txt'), 'utf8')).toBe('1')
  })

  it("download-artifact reads another run's artifacts over REST and says what is missing", async () => {
    const job = await startJobWorkspace()
    await writeFiles(job.workspace, { 'a.txt': '1' })
    await job.step(UPLOAD, { name: 'x', path: 'a.txt' })
    const token = job.box.token('rita')
    const done = await job.step(DOWNLOAD, { 'github-token': token, name: 'x', path: 'rest' })
    expect(done.exitCode).toBe(0)
    expect(readFileSync(join(job.workspace, 'rest/a.txt'), 'utf8')).toBe('1')
    const missing = await job.step(DOWNLOAD, { name: 'none' })
    expect(missing).toMatchObject({ exitCode: 1, log: expect.stringContaining('no artifact "none"') })
    const both = await job.step(DOWNLOAD, { name: 'x', 'artifact-ids': '1' })
    expect(both).toMatchObject({ exitCode: 1, log: expect.stringContaining('not both') })
  })
})

describe('the stand-in for actions/setup-node', () => {
  it("setup-node accepts this machine's Node.js and no other", async () => {
    const job = await startJobWorkspace()
    const major = process.versions.node.split('.')[0] ?? ''
    for (const wanted of [major, `${major}.x`, 'lts/*']) {
      expect(await job.step('actions/setup-node@v6', { 'node-version': wanted })).toMatchObject({
        exitCode: 0,
        outputs: { 'node-version': process.version },
      })
    }
    const other = await job.step('actions/setup-node@v6', { 'node-version': '12' })
    expect(other).toMatchObject({ exitCode: 1, log: expect.stringContaining('not 12') })
  })
})
