import * as z from 'zod'
import { expectDone, type Outcome } from '../api/api-client.ts'
import type { RepositoryApi } from '../api/repository-api.ts'

/** A workflow run, from a webhook or the API. */
export interface RunFacts {
  readonly id: number
  readonly repositoryId: number
  readonly path: string
  readonly branch: string | null
  readonly sha: string
  readonly event: string
  /** Who started it, and who started this attempt. */
  readonly actors: readonly string[]
  readonly attempt: number
  readonly status: string
  readonly conclusion: string | null
  readonly title: string
  readonly url: string
  readonly createdAt: string
}

const login = z.object({ login: z.string() }).nullish()

/** Reads a run from `workflow_run` of a webhook or from the API. */
export const workflowRun = z
  .object({
    id: z.number(),
    repository: z.object({ id: z.number() }),
    path: z.string(),
    head_branch: z.string().nullable(),
    head_sha: z.string(),
    event: z.string(),
    actor: login,
    triggering_actor: login,
    run_attempt: z.number().default(1),
    status: z.string().nullable(),
    conclusion: z.string().nullable(),
    display_title: z.string(),
    html_url: z.string(),
    created_at: z.string(),
  })
  .transform(
    (run): RunFacts => ({
      id: run.id,
      repositoryId: run.repository.id,
      // GitHub sometimes appends the ref: `…/loreley.yml@main`.
      path: run.path.replace(/@.*$/, ''),
      branch: run.head_branch,
      sha: run.head_sha,
      event: run.event,
      actors: [run.actor?.login ?? '', run.triggering_actor?.login ?? ''],
      attempt: run.run_attempt,
      status: run.status ?? 'completed',
      conclusion: run.conclusion,
      title: run.display_title,
      url: run.html_url,
      createdAt: run.created_at,
    }),
  )

/** One job of a run. */
export interface JobFacts {
  readonly id: number
  readonly name: string
  readonly status: string
  readonly conclusion: string | null
  /** None when the job never started: no minutes left, or no runner. */
  readonly steps: number
  /** How long it ran; 0 while that is not known. */
  readonly ranMs: number
  /** What the workflow asked for in `runs-on`. */
  readonly label?: string
  /** When it began, while it is under way. */
  readonly underwaySince?: string
}

/** The labels of a job as one sorted text; undefined when there are none. */
export const runnerLabel = z
  .array(z.string())
  .nullish()
  .transform((labels) => [...(labels ?? [])].sort().join(', ').slice(0, 200) || undefined)

/** Reads a job from `workflow_job` of a webhook or from the API. */
export const workflowJob = z
  .object({
    id: z.number(),
    name: z.string(),
    status: z.string(),
    conclusion: z.string().nullable(),
    steps: z.array(z.unknown()).nullish(),
    started_at: z.string().nullish(),
    completed_at: z.string().nullish(),
    labels: runnerLabel,
  })
  .transform(({ id, name, status, conclusion, steps, started_at, completed_at, labels }): JobFacts => {
    const ranMs = Date.parse(completed_at ?? '') - Date.parse(started_at ?? '')
    return {
      id,
      name,
      status,
      conclusion,
      steps: steps?.length ?? 0,
      ranMs: Math.max(0, ranMs || 0),
      ...(labels && { label: labels }),
      // GitHub also reports a start for jobs that still wait for a runner.
      ...(status === 'in_progress' && started_at && { underwaySince: started_at }),
    }
  })

const runList = z.object({ workflow_runs: z.array(workflowRun) })
const jobList = z.object({ jobs: z.array(workflowJob) })
const PAGE = 100

/** A run; undefined when it is gone. */
export async function findRun(api: RepositoryApi, id: number): Promise<RunFacts | undefined> {
  const outcome = await api.ask({
    route: 'GET /repos/{owner}/{repo}/actions/runs/{run_id}',
    parameters: { run_id: id },
    answer: workflowRun,
    priority: 'state',
  })
  return outcome.status === 'done' ? outcome.value : undefined
}

/** The jobs of a run's latest attempt. */
export async function listJobs(api: RepositoryApi, runId: number): Promise<readonly JobFacts[]> {
  const { jobs } = await api.get({
    route: 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs',
    parameters: { run_id: runId, per_page: PAGE },
    answer: jobList,
    priority: 'state',
  })
  return jobs
}

/** The latest dispatched runs of a workflow on a branch, newest first. Polled: unchanged lists are free. */
export async function listRuns(
  api: RepositoryApi,
  workflow: string,
  branch: string,
): Promise<readonly RunFacts[]> {
  return (await api.get(listCall(workflow, branch))).workflow_runs
}

/** The same, but none where GitHub knows no such workflow. */
export async function listRunsIfAny(
  api: RepositoryApi,
  workflow: string,
  branch: string,
): Promise<readonly RunFacts[]> {
  const outcome = await api.ask(listCall(workflow, branch))
  return outcome.status === 'refused' ? [] : expectDone('the list of runs', outcome).workflow_runs
}

function listCall(workflow: string, branch: string) {
  return {
    route: 'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs',
    parameters: { workflow_id: workflow, branch, event: 'workflow_dispatch', per_page: PAGE },
    answer: runList,
    priority: 'state',
    polled: true,
  } as const
}

/** Cancels a run. GitHub refuses if it has already ended, which is fine. */
export async function cancelRun(api: RepositoryApi, runId: number): Promise<Outcome<unknown>> {
  return await api.ask({
    route: 'POST /repos/{owner}/{repo}/actions/runs/{run_id}/cancel',
    parameters: { run_id: runId },
    answer: z.unknown(),
    priority: 'dispatch',
    repeatable: true,
  })
}
