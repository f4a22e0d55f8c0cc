import type { Run } from '../actions/documents.ts'
import { valuesForJob } from '../actions/secrets/secrets-and-variables.ts'
import { parseWorkflowFile } from '../actions/workflows/workflow-file.ts'
import type { Box } from '../box.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import { repositories } from '../state/documents.ts'
import type { ConcurrencyGroups } from './concurrency.ts'
import { githubContext, inputsContext } from './jobs/contexts.ts'
import type { Slots } from './slots.ts'
import type { WorkflowDefinition } from './syntax/workflow-definition.ts'
import { readWorkflow } from './syntax/workflow-definition.ts'

/** What all runs share. */
export interface RunnerTools {
  readonly box: Box
  /** Slots for jobs that run at the same time. */
  readonly slots: Slots
  readonly groups: ConcurrencyGroups
  /** Contains a folder for each job. */
  readonly jobsFolder: string
  readonly path: string
  readonly cancelGraceMs: number
}

/** A run to execute, with what its jobs need. */
export interface RunRequest {
  readonly tools: RunnerTools
  readonly repo: RepositoryDocument
  readonly run: Run
  readonly workflow: WorkflowDefinition
  /** `github`, `inputs` and `vars`. */
  readonly contexts: Readonly<Record<string, unknown>>
}

export type LoadedRun =
  | { readonly status: 'loaded'; readonly request: RunRequest }
  | { readonly status: 'invalid'; readonly problems: readonly string[] }

/** Loads a run's workflow file from its commit. */
export async function loadRun(tools: RunnerTools, run: Run): Promise<LoadedRun> {
  const { box } = tools
  const repo = repositories(box.store).find(run.repositoryId)
  const git = await box.git.get(run.repositoryId)
  const blob = await git.find(`${run.mergeSha ?? run.headSha}:${run.path}`)
  if (repo === undefined || blob?.type !== 'blob') {
    return { status: 'invalid', problems: [`${run.path} is not in the commit.`] }
  }
  const text = (await git.objects.get(blob.id, 'blob')).toString('utf8')
  const reading = readWorkflow(run.path, text)
  if (reading.status === 'invalid') return reading
  const types = Object.fromEntries(parseWorkflowFile(text).inputs.map(({ name, type }) => [name, type]))
  const contexts = {
    github: githubContext(box, repo, run),
    inputs: inputsContext(run, types),
    vars: valuesForJob(box, 'variable', { repo, environmentId: null }),
  }
  return { status: 'loaded', request: { tools, repo, run, workflow: reading.definition, contexts } }
}
