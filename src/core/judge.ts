import type { AddStatus, Archive } from './archive.ts'
import type { CampaignState, EngineConfig, Job, JobResult, LedgerEntry, Runs } from './campaign.ts'
import { type ChangeStats, describe } from './descriptor.ts'
import { decodeVector, type Embedding } from './embedding.ts'
import type { IslandId } from './islands.ts'
import { type Sample, type Summary, summarise, type ValueInterval } from './measurement.ts'
import { type Metrics, type Objective, readValue, type Value } from './objective.ts'
import { learnedAxes } from './space/learn.ts'
import { type Projection, project } from './space/projection.ts'
import type { Verdict } from './verdict.ts'

/** A measured candidate as the ledger knows it: enough to place it again. */
export interface Measured {
  readonly ordinal: number
  readonly commit: string
  readonly tree: string
  readonly metrics: Metrics
  readonly interval?: ValueInterval | undefined
  readonly change: ChangeStats
  readonly embedding?: Embedding | undefined
  /** Undefined: all of them, as the root, or the only one. */
  readonly island?: IslandId | undefined
}

/** What decides where candidates are placed. */
export interface Placing {
  readonly config: EngineConfig
  readonly projection: Projection
}

type MeasuredResult = Extract<JobResult, { status: 'measured' }>

/** Asks the archive for a place. The same rules serve a campaign's tick and a rebuild from the ledger. */
export function placeInArchive(
  archive: Archive,
  { config, projection }: Placing,
  measured: Measured,
): Verdict {
  const read = readValue(measured.metrics, config.objectives)
  if (read.status === 'refused') return refusedMetric(read.reason, read.metric)
  const vector = measured.embedding && decodeVector(measured.embedding.vector)
  const learned = project(projection, vector, learnedAxes(config))
  const placed = describe(config.search.axes, { ...measured, learned })
  if (placed.status === 'refused') return refusedMetric(placed.reason, placed.metric)
  const { ordinal, commit, tree, interval } = measured
  const { descriptor } = placed
  const elite = { ordinal, commit, tree, value: read.value, interval, descriptor }
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

/** The ledger's line for a finished job. Changes the given archive when the candidate wins a cell. */
export function createEntry(
  state: CampaignState,
  archive: Archive,
  job: Job,
  result: JobResult,
): LedgerEntry {
  const summary = result.status === 'measured' ? summariseResult(state, result) : undefined
  const facts = { state, archive, job, result, summary }
  const verdict = job.kind === 'confirm' ? judgeAgain(facts) : judge(facts)
  const measured = result.status === 'measured' && !isDuplicate(verdict)
  return {
    ordinal: job.ordinal,
    attempt: job.attempt,
    kind: job.kind,
    operator: job.operator,
    lens: job.lens,
    island: job.island,
    parent: job.parent.ordinal,
    inspirations: job.inspirations.map(({ ordinal }) => ordinal),
    verdict,
    summary: result.summary,
    tree: result.tree,
    // A duplicate's figures are left out: whether it ran at all depends on timing, the ledger must not.
    ...(measured
      ? {
          commit: result.commit,
          ...summary,
          runs: runsOf(result.samples, state.config.objectives),
          change: result.change,
          ...(result.embedding && { embedding: result.embedding }),
          card: result.card,
        }
      : {}),
    usage: result.usage,
  }
}

function summariseResult({ config, campaign }: CampaignState, result: MeasuredResult): Summary {
  const { objectives, evaluation } = config
  const readable = result.samples.every(({ metrics }) => readValue(metrics, objectives).status === 'valid')
  if (result.samples.length === 0 || !readable) return { metrics: result.metrics }
  const { sampling } = evaluation
  const summary = summarise(result.samples, objectives, { reference: campaign.baseline, sampling })
  const ends = [...(summary.interval?.low ?? []), ...(summary.interval?.high ?? [])]
  // State is JSON, which has no infinity: a ratio beyond all numbers is no measurement.
  return ends.every(Number.isFinite) ? summary : { metrics: result.metrics }
}

function runsOf(samples: readonly Sample[], objectives: readonly Objective[]): Runs | undefined {
  const full = samples.filter(({ stage }) => stage === 'full')
  if (full.length < 2) return undefined
  const valuesOf = (wanted: Sample['subject']): Value[] =>
    full
      .filter(({ subject }) => subject === wanted)
      .map(({ metrics }) => objectives.map(({ metric }) => metrics[metric] ?? 0))
  return { candidate: valuesOf('candidate'), root: valuesOf('root') }
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
    // A single impossible number among many would vanish in their middle.
    for (const { metrics, subject } of result.samples) {
      const read = readValue(metrics, state.config.objectives)
      if (subject === 'candidate' && read.status === 'refused') return refusedMetric(read.reason, read.metric)
    }
    const { commit, tree, change, embedding } = result
    return placeInArchive(archive, state, {
      ...summary,
      ordinal: job.ordinal,
      island: job.island,
      commit,
      tree,
      change,
      embedding,
    })
  }
  if (result.status === 'failed') return { status: 'refused', reason: result.reason, detail: result.detail }
  return {
    status: 'refused',
    reason: 'infrastructure',
    detail: `tree ${result.tree} was called known but is not`,
  }
}

// Its tree is known by nature, and it asks for no place: the candidate has one or has not.
function judgeAgain({ state, archive, job, result, summary }: Case): Verdict {
  if (result.status === 'measured' && summary !== undefined) {
    remeasure(archive, state.config, { of: job.parent.ordinal, ...summary })
    return { status: 'confirmed', of: job.parent.ordinal }
  }
  const failed = result.status === 'failed' ? result : undefined
  return {
    status: 'refused',
    reason: failed?.reason ?? 'infrastructure',
    detail: failed?.detail ?? 'a confirmation was not measured',
  }
}

/**
 * Where numbers vary, a second measurement that nobody chose for its outcome takes the place of the first, which may
 * have been luck. The same for a tick and a rebuild.
 */
export function remeasure(
  archive: Archive,
  { objectives }: EngineConfig,
  { of, metrics, interval }: Summary & { readonly of: number },
): void {
  const read = readValue(metrics, objectives)
  if (interval !== undefined && read.status === 'valid')
    archive.remeasure(of, { value: read.value, interval })
}

function isDuplicate(verdict: Verdict): boolean {
  return verdict.status === 'refused' && verdict.reason === 'duplicate'
}

/** Which candidate had this tree first. The host has loaded the part of the index that the tree belongs to. */
function findTree(state: CampaignState, tree: string): number | undefined {
  const part = state.trees.get(tree.slice(0, 2))
  if (part === undefined) throw new RangeError(`findTree: the index part ${tree.slice(0, 2)} was not loaded`)
  return part.get(tree)
}

function refusedMetric(
  reason: 'metric-missing' | 'metric-not-finite' | 'metric-out-of-bounds',
  metric: string,
): Verdict {
  return { status: 'refused', reason, detail: metric }
}
