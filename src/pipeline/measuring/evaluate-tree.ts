import type { CampaignConfig } from '../../config/campaign-config.ts'
import { cleanText } from '../../core/clean-text.ts'
import { medianMetrics, pairUp, type Sample } from '../../core/measuring/measurement.ts'
import type { MeasurementPlan } from '../../core/measuring/measurement-plan.ts'
import type { Metrics } from '../../core/measuring/objective.ts'
import { decide } from '../../core/measuring/stats/sampling.ts'
import { checkTrees, describeBlock } from '../guard-trees.ts'
import type { JobContext } from '../job-context.ts'
import { DETAIL_CHARACTERS } from './evaluate.ts'
import { type MeasurementRequest, MeasuringRuns, type Stop } from './measuring-runs.ts'
import type { RunLog } from './run-logs.ts'

/** What one job measured: every run, and the figures that represent them. */
export type Measurement = (
  | {
      readonly status: 'measured'
      readonly metrics: Metrics
      readonly samples: readonly Sample[]
      readonly runnerMs: number
    }
  | Stop
) & {
  /** What its commands said. */
  readonly logs: readonly RunLog[]
}

/**
 * Measures a tree on any host: the guard again, the gates, the quick command, then the full command as often as the
 * plan asks, all on this machine. Each run gets a fresh workspace, so no run can help the next. In namespaces a run
 * can leave nothing elsewhere either.
 */
export async function evaluateTree(
  context: JobContext,
  request: MeasurementRequest,
  signal: AbortSignal,
): Promise<Measurement> {
  const runs = new MeasuringRuns(context, request, signal)
  const stop =
    (await findBlock(context, request)) ??
    (await runs.gates()) ??
    (await runs.quick()) ??
    (await runPlan(runs, request.plan, context.config)) ??
    (await runs.heldOut())
  const { samples, runnerMs } = runs
  const logs = runs.logs.list()
  if (stop !== undefined) return stop.status === 'aborted' ? { ...stop, logs } : { ...stop, runnerMs, logs }
  const full = samples.filter(({ subject, stage }) => subject === 'candidate' && stage === 'full')
  const metrics = medianMetrics(full.map((sample) => sample.metrics))
  return { status: 'measured', metrics, samples, runnerMs, logs }
}

async function findBlock(
  { preparedRoot, objects, guard }: JobContext,
  { base, tree }: MeasurementRequest,
): Promise<Stop | undefined> {
  if (base === tree) return undefined
  const { verdict } = await checkTrees(
    { repository: preparedRoot.area.repository, objects, guard },
    base,
    tree,
  )
  if (verdict.status === 'clean') return undefined
  const detail = cleanText(describeBlock(verdict), DETAIL_CHARACTERS)
  return { status: 'failed', reason: 'guard-blocked', detail, runnerMs: 0 }
}

async function runPlan(
  runs: MeasuringRuns,
  plan: MeasurementPlan,
  { objectives, evaluation }: CampaignConfig,
): Promise<Stop | undefined> {
  switch (plan.kind) {
    case 'once':
      return await runs.run('candidate', 'full', evaluation)
    case 'baseline':
      return await runBaseline(runs, plan, { objectives, evaluation })
    case 'paired':
      return await runPairs(runs, plan, { objectives, evaluation })
  }
}

type Config = Pick<CampaignConfig, 'objectives' | 'evaluation'>

async function runBaseline(
  runs: MeasuringRuns,
  plan: MeasurementPlan & { kind: 'baseline' },
  { objectives, evaluation }: Config,
): Promise<Stop | undefined> {
  for (let count = 0; count < (runs.vary(objectives) ? plan.noisyRuns : plan.runs); count++) {
    const stop = await runs.run('candidate', 'full', evaluation)
    if (stop !== undefined) return stop
  }
  return undefined
}

async function runPairs(
  runs: MeasuringRuns,
  plan: MeasurementPlan & { kind: 'paired' },
  { objectives: [primary], evaluation }: Config,
): Promise<Stop | undefined> {
  if (primary === undefined) return undefined
  const { sampling, bar, against, turns } = plan
  const sign = primary.direction === 'maximize' ? 1 : -1
  for (const part of turns) {
    for (const { subject, isLead } of part) {
      const stop = isLead ? await runs.lead(subject, evaluation) : await runs.run(subject, 'full', evaluation)
      if (stop !== undefined) return stop
    }
    const { differences } = pairUp(runs.samples, primary.metric, 'full', against)
    const gains = differences.map((difference) => sign * difference)
    if (decide(gains, bar, sampling) !== 'more') return undefined
  }
  return undefined
}
