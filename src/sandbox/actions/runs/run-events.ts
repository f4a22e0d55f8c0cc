import type { Box } from '../../box.ts'
import { repositories } from '../../state/documents.ts'
import { getUser } from '../../state/lookups.ts'
import { emit } from '../../webhooks/emit.ts'
import { jobView, runView, workflowView } from '../actions-view.ts'
import { type Job, type Run, workflows } from '../documents.ts'
import { showAsCheck } from './job-checks.ts'

/** Sends `workflow_run`, unless the repository is gone. */
export async function emitRun(
  box: Box,
  run: Run,
  action: 'requested' | 'in_progress' | 'completed',
): Promise<void> {
  const repo = repositories(box.store).find(run.repositoryId)
  const workflow = workflows(box.store).find(run.workflowId)
  if (repo === undefined || workflow === undefined) return
  const payload = {
    action,
    workflow: workflowView(box, repo, workflow),
    workflow_run: await runView(box, repo, run),
  }
  await emit(box, { name: 'workflow_run', payload, repo, sender: getUser(box.store, run.triggeringActor) })
}

/** Updates the job's check run and sends `workflow_job`. */
export async function emitJob(
  box: Box,
  run: Run,
  job: Job,
  action: 'queued' | 'in_progress' | 'completed',
): Promise<void> {
  const repo = repositories(box.store).find(run.repositoryId)
  if (repo === undefined) return
  await showAsCheck(box, repo, { job, run })
  const payload = { action, workflow_job: jobView(box, repo, { job, run }) }
  await emit(box, { name: 'workflow_job', payload, repo, sender: getUser(box.store, run.triggeringActor) })
}
