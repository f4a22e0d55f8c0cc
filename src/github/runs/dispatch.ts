import * as z from 'zod'
import type { DispatchInputs } from '../../protocol/dispatch.ts'
import type { RepositoryApi } from '../api/repository-api.ts'

/** A run to start. */
export interface RunRequest {
  /** The workflow's file name, such as `loreley.yml`. */
  readonly workflow: string
  readonly branch: string
  readonly inputs: DispatchInputs
}

export type DispatchOutcome =
  | { readonly status: 'dispatched'; readonly runId: number }
  /** It may have started: look for it by name for a minute before dispatching again. */
  | { readonly status: 'unsure' }
  | { readonly status: 'refused'; readonly http: number; readonly message: string }

// Older servers answer 204 without the run's id.
const dispatched = z.object({ workflow_run_id: z.number() }).optional().catch(undefined)

/** Starts a run of the workflow. Never sent twice: a second run would repeat the cost. */
export async function dispatchRun(api: RepositoryApi, request: RunRequest): Promise<DispatchOutcome> {
  const outcome = await api.ask({
    route: 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches',
    parameters: {
      workflow_id: request.workflow,
      ref: request.branch,
      inputs: request.inputs,
      return_run_details: true,
    },
    answer: dispatched,
    priority: 'dispatch',
  })
  if (outcome.status === 'refused') return outcome
  if (outcome.status === 'unsure' || outcome.value === undefined) return { status: 'unsure' }
  return { status: 'dispatched', runId: outcome.value.workflow_run_id }
}
