import { join } from 'node:path'
import type { Metrics } from '../core/objective.ts'
import type { FailureReason } from '../core/verdict.ts'
import type { PathChange } from '../git/listing.ts'
import type { Sample } from '../protocol/result.ts'
import { type EvaluationOutcome, evaluate } from './evaluate.ts'
import type { JobSetting } from './job-setting.ts'
import { createWorkFolder } from './work-folder.ts'

/** What is measured, and how often. */
export interface MeasurementOrder {
  /** A folder of this job's own. */
  readonly place: string
  /** What the candidate changes in the campaign's root; nothing for the root itself. */
  readonly changes: readonly PathChange[]
  readonly runs: number
}

/** What one job measured: every run, and the figures that stand for them. */
export type Measurement =
  | {
      readonly status: 'measured'
      readonly metrics: Metrics
      readonly samples: readonly Sample[]
      readonly runnerMs: number
    }
  | {
      readonly status: 'failed'
      readonly reason: FailureReason
      readonly detail: string
      readonly runnerMs: number
    }
  | { readonly status: 'aborted' }

/** Measures a tree, on whatever host. Each run has a fresh work folder; the first failure ends it. */
export async function evaluateJob(
  setting: JobSetting,
  order: MeasurementOrder,
  signal: AbortSignal,
): Promise<Measurement> {
  const samples: Sample[] = []
  let runnerMs = 0
  for (let run = 0; run < order.runs; run++) {
    const outcome = await evaluateOnce(setting, order, signal)
    if (outcome.status === 'aborted') return outcome
    runnerMs += outcome.runnerMs
    if (outcome.status === 'failed') return { ...outcome, runnerMs }
    samples.push({ subject: 'candidate', stage: 'full', metrics: outcome.metrics })
  }
  return { status: 'measured', metrics: medians(samples.map(({ metrics }) => metrics)), samples, runnerMs }
}

async function evaluateOnce(
  setting: JobSetting,
  { place, changes }: MeasurementOrder,
  signal: AbortSignal,
): Promise<EvaluationOutcome> {
  const { config, workshop, objects, path, passedEnvironment, owner, isolation } = setting
  const folder = await createWorkFolder({
    place: join(place, 'evaluation'),
    template: workshop.template,
    changes: changes.map(({ pathBytes, after }) => ({ pathBytes, version: after })),
    objects,
    path,
    owner,
    isolation,
  })
  const axes = config.search.axes.flatMap((axis) => (axis.kind === 'metric' ? [axis.metric] : []))
  try {
    return await evaluate({
      folder,
      trusted: workshop.trusted,
      evaluation: config.evaluation,
      neededMetrics: [...config.objectives.map(({ metric }) => metric), ...axes],
      path,
      passedEnvironment,
      owner,
      signal,
      isolation,
    })
  } finally {
    await folder.remove()
  }
}

/** Metric by metric, the middle of the runs; a metric that some run lacks is left out. */
function medians(samples: readonly Metrics[]): Metrics {
  const names = Object.keys(samples[0] ?? {})
  return Object.fromEntries(
    names.flatMap((name) => {
      const values = samples.flatMap((sample) => sample[name] ?? []).sort((a, b) => a - b)
      const middle = values[values.length >> 1]
      return middle === undefined || values.length < samples.length ? [] : [[name, middle] as const]
    }),
  )
}
