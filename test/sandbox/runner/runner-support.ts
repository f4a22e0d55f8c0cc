import type { Octokit } from '@octokit/rest'
import type { RunnerOptions } from '../../../src/sandbox/runner/workflow-runner.ts'
import { REPO, startTestBox, type TestBox, type TestBoxOptions } from '../support.ts'

/** A sandbox with a runner and one workflow, `.github/workflows/w.yml`. */
export async function startRunnerBox(
  workflow: string,
  options: Omit<TestBoxOptions, 'runner'> & { readonly runner?: Partial<RunnerOptions> } = {},
): Promise<TestBox> {
  return await startTestBox({
    ...options,
    files: { '.github/workflows/w.yml': workflow, ...options.files },
    runner: { path: process.env.PATH ?? '', ...options.runner },
  })
}

export interface PlayedJob {
  readonly id: number
  readonly name: string
  readonly conclusion: string | null
  readonly steps: Readonly<Record<string, string | null>>
  readonly log: string
}

export interface PlayedRun {
  readonly id: number
  readonly title: string
  readonly conclusion: string | null
  readonly jobs: readonly PlayedJob[]
  /** The log of the job with this name, without timestamps. */
  log(name: string): string
}

/** Dispatches a workflow and returns its run's id. */
export async function dispatchWorkflow(
  box: TestBox,
  inputs: Readonly<Record<string, string>> = {},
  workflow = 'w.yml',
  ref = 'main',
): Promise<number> {
  const made = await box
    .as('wendy')
    .request('POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches', {
      ...REPO,
      workflow_id: workflow,
      ref,
      inputs,
      return_run_details: true,
    })
  return Number(made.data.workflow_run_id)
}

/** Dispatches a workflow and waits for its end. */
export async function play(
  box: TestBox,
  inputs: Readonly<Record<string, string>> = {},
  workflow = 'w.yml',
): Promise<PlayedRun> {
  const id = await dispatchWorkflow(box, inputs, workflow)
  await box.runner?.settled()
  return await readRun(box, id)
}

/** A run as the API shows it. */
export async function readRun(box: TestBox, id: number): Promise<PlayedRun> {
  const { actions } = box.as('wendy').rest
  const { data } = await actions.getWorkflowRun({ ...REPO, run_id: id })
  const listed = await actions.listJobsForWorkflowRun({ ...REPO, run_id: id, per_page: 100 })
  const jobs = await Promise.all(
    listed.data.jobs.map(async (job) => ({
      id: job.id,
      name: job.name,
      conclusion: job.conclusion,
      steps: Object.fromEntries((job.steps ?? []).map((step) => [step.name, step.conclusion])),
      log: await readLog(actions, job.id, job.conclusion),
    })),
  )
  const log = (name: string): string => jobs.find((job) => job.name === name)?.log ?? ''
  return { id, title: data.display_title, conclusion: data.conclusion, jobs, log }
}

async function readLog(
  actions: Octokit['rest']['actions'],
  id: number,
  conclusion: string | null,
): Promise<string> {
  if (conclusion === null || conclusion === 'skipped') return ''
  const answer = await actions.downloadJobLogsForWorkflowRun({ ...REPO, job_id: id }).catch(() => undefined)
  return String(answer?.data ?? '').replaceAll(/^\S+ /gm, '')
}
