import type { RunRequest } from '../../src/github/runs/dispatch.ts'
import { type DispatchInputs, renderRunName } from '../../src/protocol/dispatch.ts'
import { addArtifact } from '../../src/sandbox/actions/artifacts/artifacts.ts'
import { runs } from '../../src/sandbox/actions/documents.ts'
import { completeJob, queueJob, startJob } from '../../src/sandbox/actions/runs/jobs.ts'
import { completeRun } from '../../src/sandbox/actions/runs/runs.ts'
import { writeZip } from '../../src/sandbox/actions/runs/zip.ts'
import type { TestBoxOptions } from '../sandbox/support.ts'
import { bytesOf } from '../support/artifacts.ts'
import { anObjectId } from '../support/builders.ts'
import { aGitHub, type TestGitHub } from './support.ts'

export const INPUTS: DispatchInputs = {
  kind: 'candidate',
  candidate: 'demo-0007',
  state: anObjectId('state'),
  root: anObjectId('root'),
  base: anObjectId('commit 3'),
  nonce: 'abcdef0123456789',
}

export const ORDER: RunRequest = { workflow: 'loreley.yml', branch: 'loreley/runner/demo', inputs: INPUTS }

const WORKFLOW = `name: Loreley
on:
  workflow_dispatch:
    inputs: { kind: {}, candidate: {}, state: {}, root: {}, base: {}, nonce: {} }
jobs: {}
`

/** A box with the workflow, the branch that runs are dispatched on, and a runner that only names runs. */
export async function aGitHubWithWorkflow(options: TestBoxOptions = {}): Promise<TestGitHub> {
  const github = await aGitHub({
    ...options,
    files: { '.github/workflows/loreley.yml': WORKFLOW, 'src/a.txt': 'a\n' },
  })
  github.git('branch', ORDER.branch, 'main')
  github.box.box.runners.add({
    title: async ({ payload }) => {
      const inputs = { ...INPUTS, ...Object(payload.inputs) }
      return renderRunName(inputs)
    },
    start: () => undefined,
    cancel: () => undefined,
    close: async () => undefined,
  })
  return github
}

/** What a run uploads: documents by artifact name, or the bytes of a zip. */
export function upload(github: TestGitHub, runId: number, name: string, content: unknown): number {
  const zip = Buffer.isBuffer(content)
    ? content
    : writeZip([{ name: `${name}.json`, content: bytesOf(content) }])
  const added = addArtifact(github.box.box, { runId, name, content: zip })
  if (added.status !== 'added') throw new Error(added.status)
  return added.artifact.id
}

/** Lets a run have one job of that name and end. */
export async function finish({ box: { box } }: TestGitHub, runId: number, jobName: string): Promise<void> {
  const run = runs(box.store).find(runId)
  if (run === undefined) throw new Error('there is no such run')
  const job = await queueJob(box, run, { name: jobName, labels: ['ubuntu-latest'] })
  await startJob(box, job.id, 'test')
  await completeJob(box, job.id, 'success')
  await completeRun(box, runId)
}
