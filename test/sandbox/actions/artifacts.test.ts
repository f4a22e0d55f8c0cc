import { describe, expect, it } from 'vitest'
import { addArtifact, removeArtifact } from '../../../src/sandbox/actions/artifacts/artifacts.ts'
import { queueJob } from '../../../src/sandbox/actions/runs/jobs.ts'
import { appendLog } from '../../../src/sandbox/actions/runs/logs.ts'
import { writeZip } from '../../../src/sandbox/actions/runs/zip.ts'
import { failure, REPO } from '../support.ts'
import { dispatched, JOB, readZip } from './actions-support.ts'

describe('logs', () => {
  it('logs are downloaded by a short-lived link that needs no token', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z')
    const { box, run } = await dispatched({ now: () => new Date(now) })
    const { actions } = box.as('rita').rest
    const target = { ...REPO, run_id: run.id }
    expect((await failure(actions.downloadWorkflowRunLogs(target))).status).toBe(404)
    const job = await queueJob(box.box, run, JOB)
    appendLog(box.box, job.id, 'hello\nworld\n')
    const log = '2026-01-01T00:00:00.0000000Z hello\n2026-01-01T00:00:00.0000000Z world\n'
    const one = await actions.downloadJobLogsForWorkflowRun({ ...REPO, job_id: job.id })
    expect(one.data).toBe(log)
    expect((await fetch(one.url)).status).toBe(200)
    const whole = await actions.downloadWorkflowRunLogs(target)
    expect(await readZip(whole.data)).toEqual({ '0_build _ fast.txt': log })
    const attempt = await actions.downloadWorkflowRunAttemptLogs({ ...target, attempt_number: 1 })
    expect(attempt.status).toBe(200)
    const anonymous = box.client().rest.actions.downloadWorkflowRunLogs(target)
    expect((await failure(anonymous)).status).toBe(401)
    expect((await fetch(one.url.replace(/sig=../, 'sig=zz'))).status).toBe(404)
    now += 61_000
    expect((await fetch(one.url)).status).toBe(404)
  })
})

describe('artifacts', () => {
  it('artifacts are readable while the run goes on, and a replacement has another id', async () => {
    const { box, run } = await dispatched()
    const zip = writeZip([{ name: 'näme/a.txt', content: Buffer.from('content\n'.repeat(100)) }])
    const add = (name: string) => addArtifact(box.box, { runId: run.id, name, content: zip })
    const first = add('result')
    if (first.status !== 'added') throw new Error(first.status)
    expect(add('result')).toEqual({ status: 'name-taken' })
    expect(addArtifact(box.box, { runId: 1, name: 'x', content: zip })).toEqual({ status: 'no-such-run' })
    add('proposal')
    const { actions } = (await box.installation({ actions: 'read' })).rest
    const target = { ...REPO, run_id: run.id }
    const listed = await actions.listWorkflowRunArtifacts(target)
    expect(listed.data.artifacts.map(({ name }) => name)).toEqual(['proposal', 'result'])
    expect((await actions.listArtifactsForRepo({ ...REPO, name: 'result' })).data).toMatchObject({
      total_count: 1,
      artifacts: [{ id: first.artifact.id, workflow_run: { id: run.id, head_sha: run.headSha } }],
    })
    const got = await actions.getArtifact({ ...REPO, artifact_id: first.artifact.id })
    expect(got.data).toMatchObject({
      expired: false,
      digest: first.artifact.digest,
      size_in_bytes: zip.length,
    })
    const artifact = { ...REPO, artifact_id: first.artifact.id, archive_format: 'zip' }
    const download = await actions.downloadArtifact(artifact)
    expect(await readZip(download.data)).toEqual({ 'näme/a.txt': 'content\n'.repeat(100) })
    expect((await failure(actions.downloadArtifact({ ...artifact, archive_format: 'tar' }))).status).toBe(404)
    removeArtifact(box.box, first.artifact.id)
    const second = add('result')
    expect(second).toMatchObject({ status: 'added' })
    expect(second.status === 'added' && second.artifact.id).not.toBe(first.artifact.id)
    expect((await failure(actions.downloadArtifact(artifact))).status).toBe(404)
  })

  it('artifacts expire, and writers can delete them', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z')
    const { box, run } = await dispatched({ now: () => new Date(now) })
    const added = addArtifact(box.box, {
      runId: run.id,
      name: 'a',
      content: writeZip([]),
      expiresAt: new Date(now + 86_400_000),
    })
    const artifact_id = added.status === 'added' ? added.artifact.id : 0
    now += 86_400_000
    const { actions } = box.as('wendy').rest
    expect((await actions.getArtifact({ ...REPO, artifact_id })).data.expired).toBe(true)
    const download = actions.downloadArtifact({ ...REPO, artifact_id, archive_format: 'zip' })
    expect(await failure(download)).toEqual({ status: 410, message: 'Artifact has expired' })
    const target = { ...REPO, artifact_id }
    expect((await failure(box.as('rita').rest.actions.deleteArtifact(target))).status).toBe(403)
    await actions.deleteArtifact(target)
    expect((await failure(actions.getArtifact(target))).status).toBe(404)
  })
})
