import type { Archive } from '../archive/archive.ts'
import { addUsage, type Reserve, withPairs } from '../budget/budget.ts'
import { followBest, isNewBest } from '../measuring/best.ts'
import { applyConfirmation } from '../measuring/confirm.ts'
import { planDuel } from '../measuring/duel.ts'
import { beginNoisyEpoch, followRunner, planRenewals, showsNoise } from '../measuring/epoch.ts'
import { isDisqualifying } from '../measuring/figures.ts'
import { createEntry } from '../measuring/judge.ts'
import { explainNoise, reportNoise } from '../measuring/noise.ts'
import { type Metrics, readValue } from '../measuring/objective.ts'
import { isRenewing } from '../measuring/renewing.ts'
import { type FailureReason, findFailure, findOwnFailure } from '../measuring/verdict.ts'
import { followLine } from '../planning/follow-line.ts'
import { isHistoryDue } from '../space/learn.ts'
import { addLeftOut, type LeftOut } from '../space/left-out.ts'
import type { Baseline, Campaign, CampaignState, Repairable, SearchMemory } from './campaign.ts'
import { runningStatus, withCampaign } from './ingest.ts'
import type { FinishedJob, JobKind, JobResult } from './job.ts'
import type { LedgerEntry } from './ledger.ts'
import { withControl } from './pulls.ts'
import { countFailure } from './same-failure.ts'
import { createBaselineJob } from './start.ts'

/**
 * The next result to admit: in ordinal order the next ordinal, otherwise the lowest one that has arrived. In ordinal
 * order results wait during a pause, because each admission plans one candidate, which must see that archive.
 */
export function findNextToAdmit(state: CampaignState): FinishedJob | undefined {
  const { campaign, jobs, ledger } = state
  // Without the history, the cells of the next results are unknown.
  if (isHistoryDue(state)) return undefined
  const isOrdinal = campaign.order === 'ordinal'
  if (isOrdinal && campaign.status.phase === 'paused') return undefined
  const candidates = isOrdinal ? [jobs.get(ledger.count)] : [...jobs.values()]
  const ready = candidates.filter((job): job is FinishedJob => job?.result !== undefined)
  return ready.sort((a, b) => a.ordinal - b.ordinal)[0]
}

/** Moves one result from the jobs to the ledger and, if it wins a cell, into the archive. */
export function admitNext(before: CampaignState, job: FinishedJob): CampaignState {
  const state = followRunner(before, job)
  // A new epoch has closed all open jobs, including this one.
  if (state.campaign.epoch !== before.campaign.epoch) return state
  const entered = enter(state, job)
  const entry = entered.ledger.tail.at(-1)
  if (entry === undefined) throw new RangeError('admitNext: a result was entered, there is a line')
  if (job.kind === 'confirm') {
    const confirmed = withRebuild(applyConfirmation(entered, job, entry), job, entry)
    return showsNoise(state, entry) ? beginNoisyEpoch(confirmed) : confirmed
  }
  if (job.kind === 'candidate') return planDuel(followBest(state, withUnchecked(entered)), entry)
  // Without a root in the archive there would be nothing to breed from.
  const { verdict, metrics = {} } = entry
  const baseline = readBaseline(state, job.result, metrics)
  if (verdict.status === 'admitted' && baseline !== undefined)
    return withBaseline(followBest(state, entered), job, baseline)
  const detail = 'detail' in verdict ? `${verdict.reason}: ${verdict.detail}` : ''
  return refuseBaseline(state, job, detail)
}

// New figures may change the elites: in a noisy campaign, after held-out runs, when a candidate fails or recovers, and
// when the figures of an epoch are complete.
function withRebuild(state: CampaignState, { purpose }: FinishedJob, entry: LedgerEntry): CampaignState {
  const { verdict, interval, heldOut } = entry
  const isElite = state.archive.members().some(({ elite }) => elite.ordinal === entry.parent)
  const told = interval !== undefined || heldOut !== undefined || !isElite
  const replaced = verdict.status === 'confirmed' && told
  const decided = verdict.status === 'overfitted' || (verdict.status === 'duelled' && verdict.won)
  const due = replaced || decided || isDisqualifying(entry) || purpose === 'epoch'
  return due && !isRenewing(state) ? withControl(state, { rebuildDue: true }) : state
}

// Every measured candidate gets a check run on its commit. The local host writes none.
function withUnchecked(state: CampaignState): CampaignState {
  const entry = state.ledger.tail.at(-1)
  if (state.campaign.order === 'ordinal' || entry?.commit === undefined) return state
  return withControl(state, { unchecked: [...state.campaign.control.unchecked, entry.ordinal] })
}

function enter(state: CampaignState, job: FinishedJob): CampaignState {
  const archive = state.archive.copy()
  const entry = createEntry(state, archive, job, job.result)
  const jobs = new Map(state.jobs)
  jobs.delete(job.ordinal)
  const finished = state.campaign.finished + (job.kind === 'candidate' ? 1 : 0)
  return {
    ...state,
    // Keep the object when nothing changed: hosts publish branches only when the archive object changes.
    archive: entry.verdict.status === 'admitted' ? archive : state.archive,
    jobs,
    ledger: { count: state.ledger.count + 1, tail: [...state.ledger.tail, entry] },
    trees: rememberTree(state.trees, entry),
    campaign: {
      ...state.campaign,
      finished,
      used: addUsage(state.campaign.used, entry.usage),
      space: countDescribed(state.campaign, entry),
      search: followLine(
        state,
        job.kind === 'confirm' ? state.campaign.search : remember(state, archive, { job, entry, finished }),
        entry,
      ),
    },
  }
}

function countDescribed({ space }: Campaign, { kind, embedding }: LedgerEntry): Campaign['space'] {
  if (space === undefined || kind !== 'confirm' || embedding === undefined) return space
  return { ...space, described: space.described + 1 }
}

interface Finish {
  readonly job: FinishedJob
  readonly entry: LedgerEntry
  readonly finished: number
}

function remember(state: CampaignState, archive: Archive, { job, entry, finished }: Finish): SearchMemory {
  const { search } = state.campaign
  const failure = findFailure(entry.verdict)
  return {
    ...search,
    sameFailure: countFailure(search.sameFailure, entry.verdict),
    improvedAt: isNewBest(state, archive) ? finished : search.improvedAt,
    repairable: rememberRepairable(search.repairable, job, failure),
    ...(entry.embedding?.leftOut && {
      leftOut: rememberLeftOut(search, entry.kind, entry.embedding.leftOut),
    }),
  }
}

function rememberLeftOut(
  { leftOut = { root: {}, changes: {} } }: SearchMemory,
  kind: JobKind,
  found: LeftOut,
): SearchMemory['leftOut'] {
  return kind === 'baseline'
    ? { ...leftOut, root: found }
    : { ...leftOut, changes: addLeftOut(leftOut.changes, found) }
}

// Only candidates that passed the guard have a change worth repairing. Infrastructure failures need a retry instead.
const WORTH_REPAIR: readonly FailureReason[] = ['gate-failed', 'evaluation-failed', 'metric-missing']
const REPAIRABLE_KEPT = 8

function rememberRepairable(
  known: readonly Repairable[],
  { ordinal, island, parent, repairs }: FinishedJob,
  failure: FailureReason | undefined,
): readonly Repairable[] {
  // A failed repair is not repaired again.
  const worth = failure !== undefined && WORTH_REPAIR.includes(failure) && repairs === undefined
  return worth && ordinal !== 0 ? [...known, { ordinal, island, parent }].slice(-REPAIRABLE_KEPT) : known
}

function rememberTree(
  trees: CampaignState['trees'],
  { tree, verdict, kind, ordinal, parent }: LedgerEntry,
): CampaignState['trees'] {
  // A tree is known once it was judged. After an infrastructure failure it was not.
  const known = verdict.status === 'refused' && verdict.reason === 'duplicate'
  const unjudged = findFailure(verdict) !== undefined && findOwnFailure(verdict) === undefined
  if (tree === undefined || known || unjudged) return trees
  const part = tree.slice(0, 2)
  const owner = kind === 'candidate' ? ordinal : parent
  return new Map(trees).set(part, new Map(trees.get(part)).set(tree, owner))
}

function readBaseline(
  { config, campaign }: CampaignState,
  result: JobResult,
  metrics: Metrics,
): Baseline | undefined {
  if (result.status !== 'measured') return undefined
  const { objectives, evaluation } = config
  const read = readValue(metrics, objectives)
  if (read.status === 'refused') return undefined
  const runs = result.samples.filter(({ stage }) => stage === 'full').map((sample) => sample.metrics)
  const report = reportNoise(runs, objectives, evaluation)
  const { deterministic = runs.length === 0, noise } = report ?? {}
  return { metrics, value: read.value, deterministic: deterministic && campaign.varies !== true, noise }
}

// Pauses before the search spends anything if the noise would hide the gains it looks for.
function withBaseline(
  state: CampaignState,
  { ordinal, result }: FinishedJob,
  baseline: Baseline,
): CampaignState {
  const { confirmed } = state.campaign.control
  const counted = withControl(state, { confirmed: confirmed + (ordinal === 0 ? 0 : 1) })
  const known = withCampaign(counted, { baseline, reserved: reserveFor(state, baseline, result) })
  const detail = state.config.limits.dryRun
    ? undefined
    : explainNoise(baseline.noise, state.config.evaluation)
  const planned = planRenewals(known)
  return detail === undefined
    ? planned
    : withCampaign(planned, { status: { phase: 'paused', reason: 'too-noisy', detail } })
}

// In a noisy campaign a candidate is interleaved with the root, so the root's time predicts the reserve. A candidate may
// be slower; any further cost is counted once it is known.
const SLOWER = 3

function reserveFor({ campaign, config }: CampaignState, baseline: Baseline, result: JobResult): Reserve {
  const { reserved } = campaign
  if (baseline.deterministic || result.status !== 'measured') return reserved
  const runMs = result.usage.runnerMs / Math.max(1, result.samples.length)
  const pairsMs = 2 * config.evaluation.sampling.maxPairs * SLOWER * runMs
  const heldOutMs = config.evaluation.heldOut === undefined ? 0 : pairsMs
  return withPairs(reserved, { runnerMs: pairsMs, measuringMs: pairsMs + heldOutMs })
}

// Nothing is planned on a root that cannot be measured. The attempt counts, and a later `resumed` tries again.
function refuseBaseline(state: CampaignState, job: FinishedJob, detail: string): CampaignState {
  const again = createBaselineJob(state.campaign, { ordinal: job.ordinal, attempt: job.attempt + 1 })
  const changes: Partial<Campaign> = {
    status: { phase: 'paused', reason: 'baseline-invalid', detail },
    used: addUsage(state.campaign.used, job.result.usage),
  }
  return withCampaign({ ...state, jobs: new Map(state.jobs).set(job.ordinal, again) }, changes)
}

/** Updates the phase. Warm-up ends by count alone. */
export function withRunningPhase(state: CampaignState): CampaignState {
  const { phase } = state.campaign.status
  return phase === 'paused' || phase === 'finished'
    ? state
    : withCampaign(state, { status: runningStatus(state) })
}
