import type { Archive, Elite } from './archive.ts'
import type { CampaignState, EngineConfig, LedgerEntry } from './campaign.ts'
import { planConfirmation } from './confirm.ts'

// Most close calls are chance: only one that is half way to a clear one is worth the runs of a second measurement.
const HALF_WAY = 0.5

/** Plans to settle a close call on one machine, if it is close enough and the budget allows it. */
export function planDuel(state: CampaignState, entry: LedgerEntry | undefined): CampaignState {
  const { verdict, commit, tree, ordinal } = entry ?? {}
  if (verdict?.status !== 'refused' || verdict.reason !== 'close-call') return state
  // In a front of several objectives no single winner would settle it.
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
