import type { AddStatus, Archive } from '../archive/archive.ts'
import type { IslandId } from '../archive/islands.ts'
import type { CampaignState } from '../campaign/campaign.ts'
import type { EngineConfig } from '../campaign/engine-config.ts'
import type { Job, JobResult, MeasuredResult } from '../campaign/job.ts'
import type { LedgerEntry } from '../campaign/ledger.ts'
import { type ChangeStats, describe } from '../space/descriptor.ts'
import { decodeVector, type Embedding } from '../space/embedding.ts'
import { learnedAxes } from '../space/learn.ts'
import { type Projection, project } from '../space/projection.ts'
import { judgeDuel } from './duel.ts'
import type { Figures } from './figures.ts'
import { isAhead } from './figures.ts'
import { type HeldOut, isOverfitted, readHeldOut } from './held-out.ts'
import { runsOf, type Summary, summarise } from './measurement.ts'
import type { ValueRefusal } from './objective.ts'
import { readValue } from './objective.ts'
import type { Verdict } from './verdict.ts'

/** A measured candidate as recorded in the ledger: enough to place it again. */
export interface PlacedCandidate extends Figures {
  readonly ordinal: number
  readonly commit: string
  readonly tree: string
  readonly change: ChangeStats
  readonly embedding?: Embedding | undefined
  /** Undefined: every island (the root), or the only one. */
  readonly island?: IslandId | undefined
}

/** What determines a candidate's cell. */
export interface PlacementRules {
  readonly config: EngineConfig
  readonly projection: Projection
}

/** Offers a candidate to the archive. A tick and a rebuild from the ledger use the same rules. */
export function placeInArchive(
  archive: Archive,
  { config, projection }: PlacementRules,
  measured: PlacedCandidate,
): Verdict {
  const read = readValue(measured.metrics, config.objectives)
  if (read.status === 'refused') return refusedMetric(read.reason, read.metric)
  const vector = measured.embedding && decodeVector(measured.embedding.vector)
  const learned = project(projection, vector, learnedAxes(config))
  const placed = describe(config.search.axes, { ...measured, learned })
  if (placed.status === 'refused') return refusedMetric(placed.reason, placed.metric)
  const { ordinal, commit, tree, interval, confirmed, beats, heldOut } = measured
  const { descriptor } = placed
  const figures = { value: read.value, interval, confirmed, beats, heldOut }
  const elite = { ordinal, commit, tree, descriptor, ...figures }
  const islands = measured.island === undefined ? archive.islands : [measured.island]
  const [added] = islands.map((island) => archive.add(elite, island))
  if (added === undefined) throw new RangeError('placeInArchive: the archive has no island')
  return verdictOf(added)
}

function verdictOf(added: AddStatus): Verdict {
  switch (added.status) {
    case 'new-cell':
      return { ...added, status: 'admitted', as: 'new-cell' }
    case 'improved':
      return { ...added, status: 'admitted', as: 'improved' }
    case 'joined':
      return { ...added, status: 'admitted', as: 'joined' }
    case 'refused':
      return 'holder' in added
        ? added
        : { status: 'refused', reason: 'metric-not-finite', detail: added.reason }
  }
}

/** Creates the ledger line of a finished job. Changes the given archive if the candidate wins a cell. */
export function createEntry(
  state: CampaignState,
  archive: Archive,
  job: Job,
  result: JobResult,
): LedgerEntry {
  const summary = result.status === 'measured' ? summariseResult(state, result) : undefined
  const facts = { state, archive, job, result, summary }
  const heldOut = findHeldOut(facts)
  const verdict = job.kind === 'confirm' ? judgeAgain(facts, heldOut) : judge(facts)
  const measured = result.status === 'measured' && !isDuplicate(verdict)
  return {
    ordinal: job.ordinal,
    attempt: job.attempt,
    kind: job.kind,
    ...(state.campaign.epoch > 1 && { epoch: state.campaign.epoch }),
    operator: job.operator,
    lens: job.lens,
    island: job.island,
    parent: job.parent.ordinal,
    ...(job.independent && { independent: job.independent }),
    inspirations: job.inspirations.map(({ ordinal }) => ordinal),
    verdict,
    summary: result.summary,
    tree: result.tree,
    // A duplicate has no figures: whether it ran depends on timing, and the ledger must not.
    ...(measured
      ? {
          commit: result.commit,
          ...summary,
          runs: runsOf(result.samples, state.config.objectives),
          ...(heldOut && { heldOut }),
          change: result.change,
          ...(result.embedding && isDescribing(job) && { embedding: result.embedding }),
          card: result.card,
          ...(result.isolation && { isolation: result.isolation }),
          ...(result.runner && { runner: result.runner }),
        }
      : {}),
    ...(job.run !== undefined && { run: job.run }),
    usage: result.usage,
  }
}

// An unrequested embedding in a confirmation must not move the candidate.
function isDescribing({ kind, describes }: Job): boolean {
  return kind !== 'confirm' || describes === true
}

function summariseResult({ config, campaign }: CampaignState, result: MeasuredResult): Summary {
  const { objectives, evaluation } = config
  const readable = result.samples.every(({ metrics }) => readValue(metrics, objectives).status === 'valid')
  if (result.samples.length === 0 || !readable) return { metrics: result.metrics }
  const { sampling } = evaluation
  const summary = summarise(result.samples, objectives, { reference: campaign.baseline, sampling })
  const ends = [...(summary.interval?.low ?? []), ...(summary.interval?.high ?? [])]
  // JSON has no infinity, so an overflowing ratio is not a measurement.
  return ends.every(Number.isFinite) ? summary : { metrics: result.metrics }
}

interface Case {
  readonly state: CampaignState
  readonly archive: Archive
  readonly job: Job
  readonly result: JobResult
  readonly summary: Summary | undefined
}

function judge({ state, archive, job, result, summary }: Case): Verdict {
  const twin = result.tree === undefined ? undefined : findTree(state, result.tree)
  if (twin !== undefined) return { status: 'refused', reason: 'duplicate', of: twin }
  if (result.status === 'measured' && summary !== undefined) {
    const { commit, tree, change, embedding } = result
    // Later measurements of the root still belong to the root.
    const ordinal = job.kind === 'baseline' ? job.parent.ordinal : job.ordinal
    const measured = { ...summary, ordinal, island: job.island, commit, tree, change, embedding }
    return findImpossible(state, { job, result, summary }) ?? placeInArchive(archive, state, measured)
  }
  if (result.status === 'failed') return { status: 'refused', reason: result.reason, detail: result.detail }
  return {
    status: 'refused',
    reason: 'infrastructure',
    detail: `tree ${result.tree} was called known but is not`,
  }
}

// A confirmation's tree is always known, and it does not compete here. Its figures count when the archive is rebuilt.
function judgeAgain(facts: Case, heldOut: HeldOut | undefined): Verdict {
  const { state, job, result, summary } = facts
  const of = job.parent.ordinal
  if (result.status === 'measured' && summary !== undefined) {
    const impossible = findImpossible(state, { job, result, summary })
    if (impossible !== undefined) return impossible
    if (job.rival !== undefined) return judgeDuel(state.config, result, { of, rival: job.rival.ordinal })
    const overfitted = heldOut !== undefined && isOverfitted(heldOut) && isAhead(state, summary)
    return { status: overfitted ? 'overfitted' : 'confirmed', of }
  }
  const failed = result.status === 'failed' ? result : undefined
  return {
    status: 'refused',
    reason: failed?.reason ?? 'infrastructure',
    detail: failed?.detail ?? 'a confirmation was not measured',
  }
}

function findHeldOut({ state, result, summary }: Case): HeldOut | undefined {
  const { config, campaign } = state
  const [primary] = config.objectives
  const read = readValue(summary?.metrics ?? {}, config.objectives)
  if (result.status !== 'measured' || primary === undefined || read.status === 'refused') return undefined
  const [candidate = Number.NaN] = read.value
  const [root = Number.NaN] = campaign.baseline?.value ?? []
  return readHeldOut(result.samples, primary, { candidate, root })
}

function isDuplicate(verdict: Verdict): boolean {
  return verdict.status === 'refused' && verdict.reason === 'duplicate'
}

/** The first candidate with this tree. The host has loaded the matching part of the index. */
function findTree(state: CampaignState, tree: string): number | undefined {
  const part = state.trees.get(tree.slice(0, 2))
  if (part === undefined) throw new RangeError(`findTree: the index part ${tree.slice(0, 2)} was not loaded`)
  return part.get(tree)
}

/** A measurement before it is judged. */
interface Unjudged {
  readonly job: Job
  readonly result: MeasuredResult
  readonly summary: Summary
}

/**
 * Why a measurement is invalid; undefined if it can be judged. One impossible number would disappear in the median of
 * many. And if the interleaved root gave one, a candidate of a noisy campaign would count as exact.
 */
function findImpossible(
  { config, campaign }: CampaignState,
  { job, result, summary }: Unjudged,
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
    const detail = `the ${other.subject}, interleaved with it: ${other.reason}: ${other.metric}`
    return { status: 'refused', reason: 'infrastructure', detail }
  }
  const wasPaired = result.samples.some(({ subject, stage }) => subject === 'root' && stage === 'full')
  const isNoisy = campaign.baseline?.deterministic === false && job.kind !== 'baseline' && wasPaired
  const [primary] = config.objectives
  return isNoisy && summary.interval === undefined
    ? refusedMetric('metric-not-finite', `the interval of ${primary?.metric}`)
    : undefined
}

/** The verdict on a missing or impossible metric. */
function refusedMetric(reason: ValueRefusal, metric: string): Verdict {
  return { status: 'refused', reason, detail: metric }
}
