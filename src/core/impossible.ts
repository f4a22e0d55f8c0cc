import type { CampaignState, Job, JobResult } from './campaign.ts'
import type { Summary } from './measurement.ts'
import { readValue, type ValueRefusal } from './objective.ts'
import type { Verdict } from './verdict.ts'

/** A measurement before anybody has judged it. */
interface Measurement {
  readonly job: Job
  readonly result: Extract<JobResult, { status: 'measured' }>
  readonly summary: Summary
}

/**
 * Why a measurement counts for nothing; undefined when it may be judged. A single impossible number among many would
 * vanish in their middle. Beside a root that gave one, a candidate of a campaign whose numbers vary would count as exact.
 */
export function findImpossible(
  { config, campaign }: CampaignState,
  { job, result, summary }: Measurement,
): Verdict | undefined {
  const reads = result.samples.map(({ metrics, subject }) => ({
    subject,
    read: readValue(metrics, config.objectives),
  }))
  const refused = reads.flatMap(({ subject, read }) =>
    read.status === 'refused' ? [{ subject, ...read }] : [],
  )
  const own = refused.find(({ subject }) => subject === 'candidate')
  if (own !== undefined) return refusedMetric(own.reason, own.metric)
  const [other] = refused
  if (other !== undefined) {
    const detail = `the ${other.subject}, measured in turns with it: ${other.reason}: ${other.metric}`
    return { status: 'refused', reason: 'infrastructure', detail }
  }
  const wasPaired = result.samples.some(({ subject, stage }) => subject === 'root' && stage === 'full')
  const isNoisy = campaign.baseline?.deterministic === false && job.kind !== 'baseline' && wasPaired
  const [primary] = config.objectives
  return isNoisy && summary.interval === undefined
    ? refusedMetric('metric-not-finite', `the interval of ${primary?.metric}`)
    : undefined
}

/** The verdict on a metric that is missing, or that cannot be. */
export function refusedMetric(reason: ValueRefusal, metric: string): Verdict {
  return { status: 'refused', reason, detail: metric }
}
