import { senderOf } from '../../access/sender.ts'
import type { Box, Download, Family, RepoCall } from '../../box.ts'
import { downloadLink } from '../../http/downloads.ts'
import { ApiError, notFound } from '../../http/errors.ts'
import { listIn, ok, type Reply, redirect } from '../../http/reply.ts'
import { repoRoute } from '../../http/route.ts'
import { jobView } from '../actions-view.ts'
import { type Job, jobs, type Run, runs } from '../documents.ts'
import { findLog } from './logs.ts'
import { getAttempt, getRun, runAgain } from './run-routes.ts'
import { writeZip } from './zip.ts'

const RUN = '/repos/{owner}/{repo}/actions/runs/{run_id}'
const JOB = '/repos/{owner}/{repo}/actions/jobs/{job_id}'
const READ = { actions: 'read' } as const

/** Jobs of runs, and the logs of both. */
export const workflowJobsFamily: Family = {
  routes: [
    repoRoute(`GET ${RUN}/jobs`, READ, listForRun),
    repoRoute(`GET ${RUN}/attempts/{attempt_number}/jobs`, READ, (call) => {
      const run = getAttempt(call)
      return listJobs(call, jobsOf(call.box, run.id, run.attempt))
    }),
    repoRoute(`GET ${JOB}`, READ, (call) => ok(jobView(call.box, call.repo, getJob(call)))),
    repoRoute(`POST ${JOB}/rerun`, { actions: 'write' }, async (call) => {
      const { job, run } = getJob(call)
      return await runAgain(call, run, { kind: 'job', jobId: job.id })
    }),
    repoRoute(`GET ${JOB}/logs`, READ, (call) => logLink(call, 'job-log', getJob(call).job.id)),
    repoRoute(`GET ${RUN}/logs`, READ, (call) => runLog(call, getRun(call))),
    repoRoute(`GET ${RUN}/attempts/{attempt_number}/logs`, READ, (call) => runLog(call, getAttempt(call))),
  ],
  downloads: { 'job-log': findJobLog, 'run-logs': findRunLogs },
}

function jobsOf(box: Box, runId: number, attempt?: number): Job[] {
  return jobs(box.store)
    .all()
    .filter((job) => job.runId === runId && (attempt === undefined || job.attempt === attempt))
}

async function listForRun(call: RepoCall): Promise<Reply> {
  const run = getRun(call)
  const all = call.query.findText('filter') === 'all'
  return await listJobs(call, jobsOf(call.box, run.id, all ? undefined : run.attempt))
}

async function listJobs(call: RepoCall, found: readonly Job[]): Promise<Reply> {
  const run = getRun(call)
  return await listIn(call, 'jobs', found, (job) => jobView(call.box, call.repo, { job, run }))
}

function getJob(call: RepoCall): { readonly job: Job; readonly run: Run } {
  const job = jobs(call.box.store).find(call.path.number('job_id'))
  const run = job === undefined ? undefined : runs(call.box.store).find(job.runId)
  if (job === undefined || run === undefined || run.repositoryId !== call.repo.id) throw notFound()
  return { job, run }
}

// Logs need authentication, even in public repositories.
function logLink(call: RepoCall, kind: string, key: string | number): Reply {
  senderOf(call)
  return redirect(downloadLink(call.box, kind, key))
}

function runLog(call: RepoCall, run: Run): Reply {
  const hasLog = jobsOf(call.box, run.id, run.attempt).some(({ id }) => findLog(call.box, id) !== undefined)
  if (!hasLog) throw new ApiError(404, 'Not Found')
  return logLink(call, 'run-logs', `${run.id}-${run.attempt}`)
}

function findJobLog(box: Box, key: string): Download | undefined {
  const bytes = findLog(box, Number(key))
  return bytes === undefined ? undefined : { type: 'text/plain; charset=utf-8', name: `${key}.txt`, bytes }
}

function findRunLogs(box: Box, key: string): Download {
  const [runId, attempt] = key.split('-').map(Number)
  const entries = jobsOf(box, runId ?? 0, attempt).flatMap((job, index) => {
    const content = findLog(box, job.id)
    // A slash in a job's name would create a folder.
    return content === undefined ? [] : [{ name: `${index}_${job.name.replaceAll('/', '_')}.txt`, content }]
  })
  return { type: 'application/zip', name: `logs_${runId}.zip`, bytes: writeZip(entries) }
}
