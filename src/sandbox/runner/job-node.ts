import type { Conclusion } from '../actions/documents.ts'
import type { JobResult } from './jobs/job-execution.ts'
import type { Outcome } from './jobs/job-session.ts'
import type { StatusChecks } from './syntax/evaluate.ts'

/** How a job of the file ended, all jobs of its matrix together. */
export interface NodeResult {
  /** What `needs.<job>.result` says: a failure that is allowed counts as success. */
  readonly result: Outcome
  readonly outputs: Readonly<Record<string, string>>
  /** Its own result and those of all jobs before it. */
  readonly chain: readonly Outcome[]
  /** True when this attempt has run it, wholly or in part. */
  readonly isNew: boolean
}

/** A job of a matrix, with whether its failure is allowed. */
export interface InstanceResult extends JobResult {
  readonly isForgiven: boolean
  readonly isNew: boolean
}

const WORST_FIRST: readonly Outcome[] = ['failure', 'cancelled', 'success']

/** Sums up the jobs of a matrix: the worst result, and for each output the last value that is not empty. */
export function joinInstances(
  instances: readonly InstanceResult[],
  needs: readonly NodeResult[],
): NodeResult {
  const results = instances.map(({ conclusion, isForgiven }) =>
    isForgiven ? 'success' : toOutcome(conclusion),
  )
  const result = WORST_FIRST.find((one) => results.includes(one)) ?? 'skipped'
  const outputs: Record<string, string> = {}
  for (const instance of instances) {
    for (const [name, value] of Object.entries(instance.outputs))
      outputs[name] = value || (outputs[name] ?? '')
  }
  const chain = [result, ...needs.flatMap((one) => one.chain)]
  return { result, outputs, chain, isNew: instances.some((one) => one.isNew) }
}

function toOutcome(conclusion: JobResult['conclusion']): Outcome {
  if (conclusion === 'success' || conclusion === 'cancelled' || conclusion === 'skipped') return conclusion
  return 'failure'
}

/** What the status functions say in a job's `if`: they look at all jobs before it, not only at its `needs`. */
export function statusAfter(needs: readonly NodeResult[], isCancelled: boolean): StatusChecks {
  const chain = needs.flatMap((one) => one.chain)
  return {
    success: !isCancelled && chain.every((one) => one === 'success'),
    failure: chain.includes('failure'),
    cancelled: isCancelled,
  }
}

/** How the whole run ended. */
export function concludeRun(nodes: readonly NodeResult[], isCancelled: boolean): Conclusion {
  const results = nodes.map((node) => node.result)
  if (isCancelled) return 'cancelled'
  if (results.includes('failure')) return 'failure'
  if (results.includes('cancelled')) return 'cancelled'
  return results.length > 0 && results.every((one) => one === 'skipped') ? 'skipped' : 'success'
}
