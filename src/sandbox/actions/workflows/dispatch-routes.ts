import { byActor, senderOf } from '../../access/sender.ts'
import type { Family, RepoCall } from '../../box.ts'
import { ApiError, notFound } from '../../http/errors.ts'
import { noContent, ok, type Reply } from '../../http/reply.ts'
import { repoRoute } from '../../http/route.ts'
import { repositoryView } from '../../repos/repository-view.ts'
import { userView } from '../../users/user-view.ts'
import { emit } from '../../webhooks/emit.ts'
import { assertActionsEnabled } from '../actions-settings.ts'
import { runApiUrl, runHtmlUrl } from '../actions-view.ts'
import type { Workflow } from '../documents.ts'
import { queueRun } from '../runs/runs.ts'
import type { DispatchInput, WorkflowFile } from './workflow-file.ts'
import { getWorkflow } from './workflow-routes.ts'
import { findWorkflowFile } from './workflows.ts'

/** Starting a workflow by hand. */
export const workflowDispatchFamily: Family = {
  routes: [
    repoRoute(
      'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches',
      { actions: 'write' },
      dispatch,
    ),
  ],
}

const MAX_INPUT_CHARACTERS = 65_535

async function dispatch(call: RepoCall): Promise<Reply> {
  const { box, repo } = call
  assertActionsEnabled(call)
  const workflow = await getWorkflow(call)
  if (workflow.state === 'deleted') throw notFound()
  if (workflow.state !== 'active') {
    throw new ApiError(422, "Cannot trigger a 'workflow_dispatch' on a disabled workflow")
  }
  const { ref, headSha } = await getRef(call)
  const file = await getDispatchable(call, workflow, headSha)
  const inputs = readInputs(file, call.body.findObject('inputs')?.toJson() ?? {})
  const sender = senderOf(call)
  const payload = { ref, workflow: workflow.path, inputs: Object.keys(inputs).length === 0 ? null : inputs }
  await emit(box, { name: 'workflow_dispatch', payload, repo, ...byActor(call) })
  const run = await queueRun(box, repo, {
    workflow,
    event: 'workflow_dispatch',
    payload: { ...payload, repository: repositoryView(box, repo), sender: userView(box, sender) },
    ref,
    headSha,
    title: workflow.name,
    actor: sender,
  })
  if (call.body.findFlag('return_run_details') !== true) return noContent()
  return ok({
    workflow_run_id: run.id,
    run_url: runApiUrl(box, repo, run),
    html_url: runHtmlUrl(box, repo, run),
  })
}

// Only branches and tags can be dispatched, not commits or other refs.
async function getRef(call: RepoCall): Promise<{ readonly ref: string; readonly headSha: string }> {
  const given = call.body.text('ref')
  const candidates = given.startsWith('refs/') ? [given] : [`refs/heads/${given}`, `refs/tags/${given}`]
  for (const ref of candidates) {
    if (!/^refs\/(heads|tags)\//.test(ref)) continue
    const found = await call.git.find(`${ref}^{commit}`)
    if (found !== undefined) return { ref, headSha: found.id }
  }
  throw new ApiError(422, `No ref found for: ${given}`)
}

async function getDispatchable(call: RepoCall, workflow: Workflow, headSha: string): Promise<WorkflowFile> {
  const file = await findWorkflowFile(call.git, headSha, workflow.path)
  if (file?.triggers.includes('workflow_dispatch') !== true) {
    throw new ApiError(422, "Workflow does not have 'workflow_dispatch' trigger")
  }
  return file
}

/** The run's inputs: all as text, with defaults filled in. */
function readInputs(file: WorkflowFile, given: Readonly<Record<string, unknown>>): Record<string, string> {
  const unknown = Object.keys(given).filter((name) => !file.inputs.some((input) => input.name === name))
  if (unknown.length > 0) throw invalid(`Unexpected inputs provided: ${JSON.stringify(unknown)}`)
  if (JSON.stringify(given).length > MAX_INPUT_CHARACTERS) {
    throw invalid(`inputs are too large: at most ${MAX_INPUT_CHARACTERS} characters are allowed`)
  }
  const entries = file.inputs.flatMap((input) => {
    const value = given[input.name] === undefined ? input.fallback : readText(input, given[input.name])
    if (value === undefined || value === '') {
      if (input.required) throw invalid(`Required input '${input.name}' not provided`)
      return [[input.name, input.type === 'boolean' ? 'false' : ''] as const]
    }
    assertType(input, value)
    return [[input.name, value] as const]
  })
  return Object.fromEntries(entries)
}

function readText(input: DispatchInput, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw invalid(`Provided value for input '${input.name}' is not a string`)
}

function assertType(input: DispatchInput, value: string): void {
  if (input.type === 'choice' && !input.options.includes(value)) {
    throw invalid(`Provided value '${value}' for input '${input.name}' not in the list of allowed values`)
  }
  if (input.type === 'boolean' && value !== 'true' && value !== 'false') {
    throw invalid(`Provided value '${value}' for input '${input.name}' is not a boolean`)
  }
  if (input.type === 'number' && (value.trim() === '' || Number.isNaN(Number(value)))) {
    throw invalid(`Provided value '${value}' for input '${input.name}' is not a number`)
  }
}

function invalid(message: string): ApiError {
  return new ApiError(422, message)
}
