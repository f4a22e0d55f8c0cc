import type { Archive, Elite } from '../archive/archive.ts'
import type { CampaignState } from '../campaign/campaign.ts'
import type { EngineConfig } from '../campaign/engine-config.ts'
import type { MeasuredResult } from '../campaign/job.ts'
import type { LedgerEntry } from '../campaign/ledger.ts'
import { planConfirmation } from './confirm.ts'
import type { Sample } from './measurement.ts'
import { pairUp } from './measurement.ts'
import type { Objective } from './objective.ts'
import type { SamplingPlan } from './stats/sampling.ts'
import { decide } from './stats/sampling.ts'
import type { Verdict } from './verdict.ts'

// Most close calls are chance. Only one that is halfway to a clear win justifies a second measurement.
const HALF_WAY = 0.5

/** Plans a duel that settles a close call on one machine, if it is promising and the budget allows it. */
export function planDuel(state: CampaignState, entry: LedgerEntry | undefined): CampaignState {
  const { verdict, commit, tree, ordinal } = entry ?? {}
  if (verdict?.status !== 'refused' || verdict.reason !== 'close-call') return state
  // With several objectives there is no single winner.
  if (state.config.objectives.length !== 1) return state
  if (entry?.interval === undefined || commit === undefined || tree === undefined || ordinal === undefined)
    return state
  const holder = findElite(state.archive, verdict.holder)
  if (holder === undefined || !isHalfWay(state.config, entry, holder)) return state
  const rival = { ordinal: holder.ordinal, commit: holder.commit, tree: holder.tree }
  return planConfirmation(state, { ordinal, commit, tree }, { purpose: 'duel', rival }) ?? state
}

function findElite(archive: Archive, ordinal: number): Elite | undefined {
  return archive.members().find(({ elite }) => elite.ordinal === ordinal)?.elite
}

function isHalfWay({ objectives }: EngineConfig, { metrics, interval }: LedgerEntry, holder: Elite): boolean {
  const [primary] = objectives
  if (primary === undefined || interval === undefined) return false
  const value = metrics?.[primary.metric] ?? Number.NaN
  const [other = Number.NaN] = holder.value
  const sure = primary.direction === 'maximize' ? interval.low[0] : interval.high[0]
  return Math.abs(value - other) >= HALF_WAY * Math.abs(value - (sure ?? Number.NaN))
}

export function judgeDuel(
  { objectives: [primary], evaluation }: EngineConfig,
  { samples }: MeasuredResult,
  who: { readonly of: number; readonly rival: number },
): Verdict {
  const won = primary !== undefined && isDuelWon(samples, primary, evaluation.sampling)
  return { status: 'duelled', ...who, won }
}

/** Whether a candidate beat the rival it was interleaved with, according to the sampling plan. */
function isDuelWon(
  samples: readonly Sample[],
  { metric, direction }: Objective,
  sampling: SamplingPlan,
): boolean {
  const sign = direction === 'maximize' ? 1 : -1
  const { differences } = pairUp(samples, metric, 'full', 'rival')
  return (
    decide(
      differences.map((difference) => sign * difference),
      0,
      sampling,
    ) === 'better'
  )
}
