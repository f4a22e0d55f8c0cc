import { findBest } from './archive/archive.ts'
import type { CellId } from './archive/cells.ts'
import { NO_USAGE } from './budget/budget.ts'
import type { CampaignState } from './campaign/campaign.ts'
import type { JobKind, JobResult } from './campaign/job.ts'
import { createCampaign } from './campaign/start.ts'
import { tick } from './campaign/tick.ts'
import type { Metrics, Objective, Value } from './measuring/objective.ts'
import { LENSES, OPERATOR_WEIGHTS, type Operator } from './planning/operators.ts'
import type { Descriptor } from './space/descriptor.ts'

export type { Metrics, Objective, Operator }

/** What to search for. */
export interface SearchOptions {
  /** The first objective decides; later ones break ties. */
  readonly objectives: readonly Objective[]
  /** The metrics that tell candidates apart, one to three. Each cell of this space keeps its best candidate. */
  readonly axes: readonly { readonly metric: string; readonly min: number; readonly max: number }[]
  /** How many candidates to try. */
  readonly candidates: number
  /** The number of cells. Default: an eighth of the candidates, from 9 to 256. */
  readonly cells?: number
  /** How many candidates are open at once. Default: 1. */
  readonly parallel?: number
  /** The random seed. Default: 1. The same seed and the same figures give the same archive. */
  readonly seed?: number
}

/** A piece of work: measure the root (id 0), make and measure a candidate, or measure the parent again. */
export interface Suggestion {
  readonly id: number
  readonly kind: JobKind
  readonly operator: Operator
  /** What to build on, by id. */
  readonly parent: number
  /** Others to borrow from, by id. For a crossover the first is the second parent. */
  readonly inspirations: readonly number[]
}

/** A candidate that holds a cell. */
export interface Elite {
  readonly id: number
  readonly cell: CellId
  readonly value: Value
  readonly descriptor: Descriptor
}

/** Everything that a search needs to resume. It survives JSON. */
export interface SearchRecord {
  readonly options: SearchOptions
  /** In the order in which they were told; `null` for a candidate that failed. */
  readonly told: readonly { readonly id: number; readonly metrics: Metrics | null }[]
}

/** A search: immutable, like everything in this module. */
export interface Search {
  readonly record: SearchRecord
  readonly state: CampaignState
}

// A search has no clock: nothing in it depends on the time.
const EPOCH = new Date(0)
// The engine looks trees up in parts, by their first two characters: ours all begin alike.
const TREE = 'tree-'
const NO_LIMIT = Number.MAX_SAFE_INTEGER

/** Begins a search. The first suggestion is to measure the root. */
export function createSearch(options: SearchOptions): Search {
  const { objectives, axes, candidates, cells, parallel = 1, seed = 1 } = options
  const state = createCampaign({
    id: 'search',
    order: 'ordinal',
    root: { commit: 'commit-0', tree: `${TREE}0`, seconds: 0 },
    reserved: NO_USAGE,
    evaluator: '',
    config: {
      objectives,
      search: {
        policy: 'qd',
        independentShare: 0,
        seed,
        window: parallel,
        archive: 'grid',
        cells,
        front: 4,
        islands: 1,
        migrateEvery: 5,
        inspirations: 3,
        operators: OPERATOR_WEIGHTS,
        lenses: LENSES,
        descriptor: 'metrics',
        axes: axes.map((axis) => ({ kind: 'metric', ...axis })),
      },
      limits: {
        candidates,
        parallel,
        tokens: NO_LIMIT,
        dollars: NO_LIMIT,
        runnerMinutes: NO_LIMIT,
        sameFailure: NO_LIMIT,
        candidatesPerDay: NO_LIMIT,
        openPulls: 0,
        dryRun: false,
      },
      evaluation: { sampling: { minPairs: 6, maxPairs: 20, confidence: 0.993 }, smallestGain: 0.1 },
    },
  })
  return {
    record: { options, told: [] },
    state: { ...state, trees: new Map([[TREE.slice(0, 2), new Map()]]) },
  }
}

/** The work that is open, oldest first. Empty once the search has ended. */
export function ask({ state }: Search): Suggestion[] {
  return [...state.jobs.values()]
    .filter((job) => job.result === undefined)
    .sort((a, b) => a.ordinal - b.ordinal)
    .map(({ ordinal, kind, operator, parent, inspirations }) => ({
      id: ordinal,
      kind,
      operator,
      parent: parent.ordinal,
      inspirations: inspirations.map((each) => each.ordinal),
    }))
}

/** Tells what a suggestion measured, or `null` if it failed. Figures of work that is not open change nothing. */
export function tell(search: Search, id: number, metrics: Metrics | null): Search {
  const { record, state } = search
  const job = state.jobs.get(id)
  if (job === undefined || job.result !== undefined) return search
  // Every candidate is its own commit and tree. A confirmation measures its parent.
  const of = job.kind === 'confirm' ? job.parent.ordinal : id
  const result = metrics === null ? FAILED : measuredAs(of, metrics)
  return {
    record: { ...record, told: [...record.told, { id, metrics }] },
    state: tick(state, [{ type: 'finished', ordinal: id, attempt: job.attempt, result }], EPOCH).state,
  }
}

/** Continues a search where its record ends, by telling everything again. */
export function resume({ options, told }: SearchRecord): Search {
  return told.reduce((search, { id, metrics }) => tell(search, id, metrics), createSearch(options))
}

/** The archive: the best candidate of every cell that was reached. */
export function listElites({ state }: Search): Elite[] {
  return state.archive.members().map(({ cell, elite: { ordinal, value, descriptor } }) => ({
    id: ordinal,
    cell,
    value,
    descriptor,
  }))
}

/** The id of the best candidate; undefined before the root is measured. */
export function findBestId({ state }: Search): number | undefined {
  return findBest(state.archive, state.config.objectives)?.ordinal
}

const FAILED: JobResult = { status: 'failed', reason: 'evaluation-failed', detail: '', usage: NO_USAGE }

function measuredAs(id: number, metrics: Metrics): JobResult {
  return {
    status: 'measured',
    commit: `commit-${id}`,
    tree: `${TREE}${id}`,
    metrics,
    samples: [],
    change: { files: 0, linesAdded: 0, linesRemoved: 0 },
    summary: '',
    usage: NO_USAGE,
  }
}
