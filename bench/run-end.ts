import { addArtifact } from '../src/sandbox/actions/artifacts/artifacts.ts'
import type { Run } from '../src/sandbox/actions/documents.ts'
import { completeJob, queueJob, startJob } from '../src/sandbox/actions/runs/jobs.ts'
import { completeRun } from '../src/sandbox/actions/runs/runs.ts'
import { writeZip } from '../src/sandbox/actions/runs/zip.ts'
import type { RunningBox } from '../src/sandbox/server.ts'
import { bytesOf } from '../test/support/artifacts.ts'

/** Leaves an artifact of one file, and gives its id. */
export function upload(
  { box }: RunningBox,
  run: Run,
  { name, content }: { readonly name: string; readonly content: unknown },
): number {
  const zip = writeZip([{ name: `${name}.json`, content: bytesOf(content) }])
  const added = addArtifact(box, { runId: run.id, name, content: zip })
  if (added.status !== 'added') throw new Error(added.status)
  return added.artifact.id
}

/** Ends a run with one job of this name. */
export async function endRun(
  { box }: RunningBox,
  run: Run,
  { name, conclusion }: { readonly name: string; readonly conclusion: 'success' | 'cancelled' },
): Promise<void> {
  const job = await queueJob(box, run, { name, labels: ['ubuntu-latest'] })
  await startJob(box, job.id, 'bench')
  await completeJob(box, job.id, conclusion)
  await completeRun(box, run.id)
}
