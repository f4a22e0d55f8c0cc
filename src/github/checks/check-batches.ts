import * as z from 'zod'
import type { RepositoryApi } from '../api/repository-api.ts'
import { buttonsOf, type CheckReport, outputOf } from './check-runs.ts'

/** A check run to write. */
export interface CheckRequest {
  /** Annotations go through REST, which accepts them in pages. */
  readonly report: Omit<CheckReport, 'annotations'>
  /** The node id of the check run to update. */
  readonly known?: string | undefined
}

// GitHub documents no limit per request, but aborts after ten seconds.
const BATCH_CHECKS = 10
const BATCH_BYTES = 256 * 1024

const answer = z.record(z.string(), z.object({ checkRun: z.object({ id: z.string() }) }))

/**
 * Writes check runs, several per request, and returns their node ids in order. Undefined means that a check run may or
 * may not have been written: look before writing it again.
 */
export async function putChecks(
  api: RepositoryApi,
  requests: readonly CheckRequest[],
): Promise<readonly (string | undefined)[]> {
  const ids: (string | undefined)[] = []
  for (const batch of batchesOf(requests)) {
    const written = await send(api, batch)
    ids.push(...batch.map((_, index) => written[`c${index}`]?.checkRun.id))
  }
  return ids
}

function batchesOf(requests: readonly CheckRequest[]): CheckRequest[][] {
  const batches: CheckRequest[][] = []
  let bytes = 0
  for (const request of requests) {
    const size = Buffer.byteLength(JSON.stringify(outputOf(request.report)))
    const last = batches.at(-1)
    if (last === undefined || last.length === BATCH_CHECKS || bytes + size > BATCH_BYTES) {
      batches.push([request])
      bytes = size
    } else {
      last.push(request)
      bytes += size
    }
  }
  return batches
}

async function send(api: RepositoryApi, batch: readonly CheckRequest[]): Promise<z.infer<typeof answer>> {
  const verbs = batch.map(({ known }) => (known === undefined ? 'create' : 'update'))
  const inputs = verbs.map(
    (verb, index) => `$c${index}: ${verb === 'create' ? 'Create' : 'Update'}CheckRunInput!`,
  )
  const fields = verbs.map(
    (verb, index) => `c${index}: ${verb}CheckRun(input: $c${index}) { checkRun { id } }`,
  )
  const variables = batch.map((request, index) => [`c${index}`, inputOf(api, request)] as const)
  const outcome = await api.query({
    name: 'write check runs',
    query: `mutation (${inputs.join(', ')}) { ${fields.join(' ')} }`,
    variables: Object.fromEntries(variables),
    answer,
    writes: true,
    priority: 'report',
  })
  return outcome.status === 'done' ? outcome.value : {}
}

function inputOf({ repository }: RepositoryApi, { report, known }: CheckRequest) {
  const { name, sha, externalId, detailsUrl, conclusion } = report
  return {
    repositoryId: repository.nodeId,
    ...(known === undefined ? { headSha: sha } : { checkRunId: known }),
    name,
    externalId,
    ...(detailsUrl !== undefined && { detailsUrl }),
    ...(conclusion === undefined
      ? { status: 'IN_PROGRESS' }
      : { status: 'COMPLETED', conclusion: conclusion.toUpperCase() }),
    output: outputOf(report),
    actions: buttonsOf(report),
  }
}
