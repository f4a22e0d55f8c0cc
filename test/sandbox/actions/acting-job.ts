import { onTestFinished, vi } from 'vitest'
import type { Job } from '../../../src/sandbox/actions/documents.ts'
import { actionVariables, serverVariables } from '../../../src/sandbox/runner/jobs/service-variables.ts'
import type { TestBox } from '../support.ts'

/** Makes GitHub's own clients act for a job. They can only be configured through the environment. */
export function actAs(box: TestBox, job: Job): void {
  onTestFinished(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })
  // Their output is meant for a runner, and there is none here.
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const told = {
    ...serverVariables(box.box),
    ...actionVariables(box.box, { runId: job.runId, jobId: job.id }),
  }
  for (const [name, value] of Object.entries(told)) vi.stubEnv(name, value)
}

export interface ServiceRequest {
  readonly token?: string
  readonly body?: unknown
}

/** Calls a results service, such as `CacheService/CreateCacheEntry`, on behalf of the acting job. */
export async function callService(box: TestBox, path: string, request: ServiceRequest = {}) {
  const { token = process.env.ACTIONS_RUNTIME_TOKEN ?? '', body = {} } = request
  const response = await fetch(`${box.url}/twirp/github.actions.results.api.v1.${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, json: JSON.parse(await response.text()) }
}
