import type { Run } from '../actions/documents.ts'
import { settingsForJob } from '../actions/secrets/secrets-and-variables.ts'
import { parseWorkflowFile } from '../actions/workflows/workflow-file.ts'
import { repositories } from '../state/documents.ts'
import { githubContext, inputsContext } from './jobs/contexts.ts'
import type { RunnerTools, RunOrder } from './run-attempt.ts'
import { readWorkflow } from './syntax/workflow-definition.ts'

export type LoadedOrder =
  | { readonly status: 'loaded'; readonly order: RunOrder }
  | { readonly status: 'invalid'; readonly problems: readonly string[] }

/** Reads the workflow file of a run as its commit has it. */
export async function loadRunOrder(tools: RunnerTools, run: Run): Promise<LoadedOrder> {
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
    vars: settingsForJob(box, 'variable', { repo, environmentId: null }),
  }
  return { status: 'loaded', order: { tools, repo, run, workflow: reading.definition, contexts } }
}
