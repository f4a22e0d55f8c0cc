import { type Archive, findBest } from './archive.ts'
import { addUsage, type Usage } from './budget.ts'
import type {
  Baseline,
  Campaign,
  CampaignState,
  Job,
  JobKind,
  JobResult,
  LedgerEntry,
  Repairable,
  SearchMemory,
} from './campaign.ts'
import { applyConfirmation, planConfirmation } from './confirm.ts'
import { runningStatus, withCampaign } from './ingest.ts'
import { createEntry } from './judge.ts'
import { addLeftOut, type LeftOut } from './left-out.ts'
import { readNoise } from './measurement.ts'
import { compareValues, type Metrics, readValue } from './objective.ts'
import { withControl } from './pulls.ts'
import { isHistoryDue } from './space/learn.ts'
import { createBaselineJob } from './start.ts'
import { type FailureReason, findFailure } from './verdict.ts'

/** A job with its result, whose turn it is. */
export type FinishedJob = Job & { readonly result: JobResult }

/**
 * The next result to admit: in ordinal order the next ordinal, else the lowest one that has arrived. In
 * ordinal order results wait out a pause: each admission plans one candidate, which must see that archive.
 */
export function findNextToAdmit(state: CampaignState): FinishedJob | undefined {
  const { campaign, jobs, ledger } = state
  // Where the next one belongs is not known before the axes are fitted.
  if (isHistoryDue(state)) return undefined
  const inOrder = campaign.order === 'ordinal'
  if (inOrder && campaign.status.phase === 'paused') return undefined
  const candidates = inOrder ? [jobs.get(ledger.count)] : [...jobs.values()]
  const ready = candidates.filter((job): job is FinishedJob => job?.result !== undefined)
  return ready.sort((a, b) => a.ordinal - b.ordinal)[0]
}

/** Moves one result from the jobs to the ledger and, if it deserves a cell, to the archive. */
export function admitNext(state: CampaignState, job: FinishedJob): CampaignState {
  const entered = enter(state, job)
  if (job.kind === 'confirm') return applyConfirmation(entered, job, job.result)
  if (job.kind === 'candidate') return measureBestAgain(state, withUnchecked(noteBest(state, entered)))
  // A root without a place is as useless as one without a value: there would be nothing to breed from.
  const { verdict, metrics = {} } = entered.ledger.tail.at(-1) ?? {}
  const baseline = readBaseline(state, job.result, metrics)
  if (verdict?.status === 'admitted' && baseline !== undefined)
    return withCampaign(noteBest(state, entered), {
      baseline,
      reserved: reserveFor(state, baseline, job.result),
    })
  const detail = verdict !== undefined && 'detail' in verdict ? `${verdict.reason}: ${verdict.detail}` : ''
  return refuseBaseline(state, job, detail)
}

// The best steers the search most, and was chosen for its number: where numbers vary, that may have been luck.
function measureBestAgain(before: CampaignState, after: CampaignState): CampaignState {
  const best = findBest(after.archive, after.config.objectives)
  if (best?.interval === undefined || !isNewBest(before, after.archive)) return after
  const { ordinal, commit, tree } = best
  return planConfirmation(after, { ordinal, commit, tree }) ?? after
}

const BESTS_KEPT = 200

function noteBest(before: CampaignState, after: CampaignState): CampaignState {
  const best = findBest(after.archive, after.config.objectives)
  if (best === undefined || !isNewBest(before, after.archive)) return after
  const { bests } = after.campaign.control
  const [value = 0] = best.value
  return withControl(after, {
    bests: [...bests, { finished: after.campaign.finished, value }].slice(-BESTS_KEPT),
  })
}

// Every measured candidate has a commit, and gets a check run on it. Where nobody writes any, none is owed.
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
    // The same object when nothing changed: the host publishes branches only when the archive is another one.
    archive: changesArchive(entry) ? archive : state.archive,
    jobs,
    ledger: { count: state.ledger.count + 1, tail: [...state.ledger.tail, entry] },
    trees: rememberTree(state.trees, entry),
    campaign: {
      ...state.campaign,
      finished,
      used: addUsage(state.campaign.used, entry.usage),
      search:
        job.kind === 'confirm' ? state.campaign.search : remember(state, archive, { job, entry, finished }),
    },
  }
}

function changesArchive({ verdict, interval }: LedgerEntry): boolean {
  return verdict.status === 'admitted' || (verdict.status === 'confirmed' && interval !== undefined)
}

interface Finish {
  readonly job: FinishedJob
  readonly entry: LedgerEntry
  readonly finished: number
}

function remember(state: CampaignState, archive: Archive, { job, entry, finished }: Finish): SearchMemory {
  const { search } = state.campaign
  const failure = findFailure(entry.verdict)
  const count =
    failure !== undefined && failure === search.sameFailure.reason ? search.sameFailure.count + 1 : 1
  return {
    ...search,
    sameFailure: failure === undefined ? { count: 0 } : { reason: failure, count },
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

// Only what passed the guard had a change to speak of; what the machinery broke needs no repair, only a retry.
const WORTH_REPAIR: readonly FailureReason[] = ['gate-failed', 'evaluation-failed', 'metric-missing']
const REPAIRABLE_KEPT = 8

function rememberRepairable(
  known: readonly Repairable[],
  { ordinal, island, parent, repairs }: FinishedJob,
  failure: FailureReason | undefined,
): readonly Repairable[] {
  // A repair that fails is not repaired again: the idea had its second chance.
  const worth = failure !== undefined && WORTH_REPAIR.includes(failure) && repairs === undefined
  return worth && ordinal !== 0 ? [...known, { ordinal, island, parent }].slice(-REPAIRABLE_KEPT) : known
}

function isNewBest({ archive: before, config }: CampaignState, after: Archive): boolean {
  const old = findBest(before, config.objectives)
  const best = findBest(after, config.objectives)
  return best !== undefined && best.ordinal !== old?.ordinal
}

function rememberTree(
  trees: CampaignState['trees'],
  { tree, verdict, ordinal }: LedgerEntry,
): CampaignState['trees'] {
  // A tree is known once it was judged; when the machinery failed, it was not.
  const known = verdict.status === 'refused' && verdict.reason === 'duplicate'
  const unjudged =
    verdict.status === 'refused' && (verdict.reason === 'infrastructure' || verdict.reason === 'cancelled')
  if (tree === undefined || known || unjudged || verdict.status === 'confirmed') return trees
  const part = tree.slice(0, 2)
  return new Map(trees).set(part, new Map(trees.get(part)).set(tree, ordinal))
}

function readBaseline({ config }: CampaignState, result: JobResult, metrics: Metrics): Baseline | undefined {
  if (result.status !== 'measured') return undefined
  const { objectives, evaluation } = config
  const read = readValue(metrics, objectives)
  const [primary] = objectives
  if (read.status === 'refused' || primary === undefined) return undefined
  const runs = result.samples.filter(({ stage }) => stage === 'full').map((sample) => sample.metrics)
  const values = runs.map((run) => readValue(run, objectives))
  const deterministic = values.every(
    (sample) => sample.status === 'valid' && compareValues(sample.value, read.value, objectives) === 0,
  )
  const readable = values.every(({ status }) => status === 'valid')
  const noise = deterministic || !readable ? undefined : readNoise(runs, primary, evaluation.sampling)
  return { metrics, value: read.value, deterministic, noise }
}

// Where numbers vary, a candidate is run in turns with the root. What the root took tells what to set aside for it;
// a candidate may be slower, and what one costs beyond is counted when it is known.
const SLOWER = 3

function reserveFor({ campaign, config }: CampaignState, baseline: Baseline, result: JobResult): Usage {
  const { reserved } = campaign
  if (baseline.deterministic || result.status !== 'measured') return reserved
  const runMs = result.usage.runnerMs / Math.max(1, result.samples.length)
  const runs = 2 * config.evaluation.sampling.maxPairs
  return { ...reserved, runnerMs: reserved.runnerMs + runs * SLOWER * runMs }
}

// Nothing is planned on a root that cannot be measured. The attempt is spent, a later `resumed` tries again.
function refuseBaseline(state: CampaignState, job: FinishedJob, detail: string): CampaignState {
  const again = createBaselineJob(state.campaign.root, job.attempt + 1)
  const changes: Partial<Campaign> = {
    status: { phase: 'paused', reason: 'baseline-invalid', detail },
    used: addUsage(state.campaign.used, job.result.usage),
  }
  return withCampaign({ ...state, jobs: new Map(state.jobs).set(0, again) }, changes)
}

/** Warm-up ends and searching begins by count alone. */
export function withRunningPhase(state: CampaignState): CampaignState {
  const { phase } = state.campaign.status
  return phase === 'paused' || phase === 'finished'
    ? state
    : withCampaign(state, { status: runningStatus(state) })
}
