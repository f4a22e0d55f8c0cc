import type { Conclusion } from '../actions/documents.ts'
import type { JobResult } from './jobs/job-execution.ts'
import type { Outcome } from './jobs/job-session.ts'
import type { StatusChecks } from './syntax/evaluate.ts'

/** The combined result of a job in the file, over its matrix. */
export interface NodeResult {
  /** The value of `needs.<job>.result`. An allowed failure counts as success. */
  readonly result: Outcome
  readonly outputs: Readonly<Record<string, string>>
  /** Its own result and those of all jobs before it. */
  readonly chain: readonly Outcome[]
  /** True when this attempt ran at least part of it. */
  readonly isNew: boolean
}

/** The result of one matrix job. A forgiven failure is allowed by `continue-on-error`. */
export interface InstanceResult extends JobResult {
  readonly isForgiven: boolean
  readonly isNew: boolean
}

const WORST_FIRST: readonly Outcome[] = ['failure', 'cancelled', 'success']

/** Combines the jobs of a matrix: the worst result, and the last non-empty value of each output. */
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

/** The status functions in a job's `if`. They consider all earlier jobs, not only its `needs`. */
export function statusAfter(needs: readonly NodeResult[], isCancelled: boolean): StatusChecks {
  const chain = needs.flatMap((one) => one.chain)
  return {
    success: !isCancelled && chain.every((one) => one === 'success'),
    failure: chain.includes('failure'),
    cancelled: isCancelled,
  }
}

/** The conclusion of the whole run. */
export function concludeRun(nodes: readonly NodeResult[], isCancelled: boolean): Conclusion {
  const results = nodes.map((node) => node.result)
  if (isCancelled) return 'cancelled'
  if (results.includes('failure')) return 'failure'
  if (results.includes('cancelled')) return 'cancelled'
  return results.length > 0 && results.every((one) => one === 'skipped') ? 'skipped' : 'success'
}
