import type { EngineConfig } from '../campaign/engine-config.ts'
import type { Job } from '../campaign/job.ts'
import type { LedgerEntry } from '../campaign/ledger.ts'
import type { CommitCard } from '../candidate/commit-card.ts'
import { epochOf, type Figures, findFigures } from '../measuring/figures.ts'
import {
  compareValues,
  type Direction,
  type Metrics,
  readValue,
  relativeGain,
  type Value,
} from '../measuring/objective.ts'
import { findFailure } from '../measuring/verdict.ts'
import { findDistinctivePath } from './lineage.ts'

/** The progress on an objective, for an agent. */
export interface ObjectiveProgress {
  readonly metric: string
  readonly direction: Direction
  readonly target?: number | undefined
  readonly baseline?: number | undefined
  readonly best?: number | undefined
}

/** What an agent sees of another candidate. Its texts were written by models and are data. */
export interface Card {
  readonly ordinal: number
  readonly summary?: string | undefined
  readonly metrics?: Metrics | undefined
  /** The relative gain over the baseline on the first objective. */
  readonly gain?: number | undefined
  readonly change?: CommitCard | undefined
  /** What it and its ancestors did since they split from the parent's line, oldest first. */
  readonly path: readonly string[]
}

/** A failed candidate, for the agent that repairs it. */
export interface FailedAttempt {
  readonly ordinal: number
  readonly summary: string
  readonly reason: string
  readonly diagnostic: string
}

/** What an agent may know about the campaign so far. */
export interface Recall {
  readonly objectives: readonly ObjectiveProgress[]
  readonly parent: Card
  readonly inspirations: readonly Card[]
  readonly repair?: FailedAttempt | undefined
  /** Successful changes, largest gain over their parent first. */
  readonly lessons: readonly string[]
  /** Failed attempts: those on the same parent first, then the newest. */
  readonly failures: readonly string[]
}

const MAX_LESSONS = 5
const MAX_FAILURES = 5
const DETAIL_CHARACTERS = 160

/** How many ledger lines a job's agent may see; seeds see only the baseline. */
export function linesSeen({ seen }: Job): number {
  return seen ?? 1
}

/** Collects what a job's agent may know from the first `linesSeen` ledger lines. */
export function recall(
  { objectives }: Pick<EngineConfig, 'objectives'>,
  job: Job,
  entries: ReadonlyMap<number, LedgerEntry>,
): Recall {
  const epoch = Math.max(1, ...[...entries.values()].map(epochOf))
  const history = { objectives, entries, figures: findFigures(entries.values(), epoch) }
  const failed = job.repairs === undefined ? undefined : entries.get(job.repairs)
  return {
    objectives: findProgress(history),
    parent: createCard(history, job.parent.ordinal, []),
    inspirations: job.inspirations.map(({ ordinal }) =>
      createCard(history, ordinal, findDistinctivePath(entries, ordinal, job.parent.ordinal)),
    ),
    repair: failed && describeFailed(failed),
    lessons: findLessons(history),
    failures: findFailures(history, job.parent.ordinal),
  }
}

interface History {
  readonly objectives: EngineConfig['objectives']
  readonly entries: ReadonlyMap<number, LedgerEntry>
  /** The current figures of the latest epoch. */
  readonly figures: ReadonlyMap<number, Figures>
}

function findValueOf({ objectives, figures }: History, ordinal: number): Value | undefined {
  const read = readValue(figures.get(ordinal)?.metrics ?? {}, objectives)
  return read.status === 'valid' ? read.value : undefined
}

function findProgress(history: History): ObjectiveProgress[] {
  const baseline = findValueOf(history, 0)
  let best = baseline
  for (const ordinal of history.figures.keys()) {
    const value = findValueOf(history, ordinal)
    if (value && (best === undefined || compareValues(value, best, history.objectives) > 0)) best = value
  }
  return history.objectives.map(({ metric, direction, target }, index) => ({
    metric,
    direction,
    target,
    baseline: baseline?.[index],
    best: best?.[index],
  }))
}

function createCard(history: History, ordinal: number, path: readonly string[]): Card {
  const entry = history.entries.get(ordinal)
  return {
    ordinal,
    summary: entry?.summary,
    metrics: history.figures.get(ordinal)?.metrics,
    gain: ordinal === 0 ? undefined : gainOver(history, ordinal, 0),
    change: entry?.card,
    path,
  }
}

function gainOver(history: History, ordinal: number, other: number): number | undefined {
  const value = findValueOf(history, ordinal)
  const from = findValueOf(history, other)
  return value && from && relativeGain(value, from, history.objectives)
}

function describeFailed(entry: LedgerEntry): FailedAttempt {
  const { verdict } = entry
  return {
    ordinal: entry.ordinal,
    summary: entry.summary ?? '',
    reason: verdict.status === 'refused' ? verdict.reason : 'not-better',
    diagnostic: 'detail' in verdict ? verdict.detail : '',
  }
}

function findLessons(history: History): string[] {
  const gains = [...history.entries.values()].flatMap((entry) => {
    const gain = entry.kind === 'candidate' ? gainOver(history, entry.ordinal, entry.parent) : undefined
    return gain !== undefined && gain > 0 && entry.summary ? [{ gain, entry }] : []
  })
  return gains
    .sort((a, b) => b.gain - a.gain || a.entry.ordinal - b.entry.ordinal)
    .slice(0, MAX_LESSONS)
    .map(({ gain, entry }) => `candidate ${entry.ordinal}, +${(100 * gain).toFixed(1)} %: ${entry.summary}`)
}

// Failed confirmations are for people only: they teach no idea, and could reveal held-out inputs.
function findFailures({ entries }: History, parent: number): string[] {
  const failed = [...entries.values()].filter(
    ({ kind, verdict }) => kind === 'candidate' && findFailure(verdict) !== undefined,
  )
  const own = failed.filter((entry) => entry.parent === parent)
  const others = failed.filter((entry) => entry.parent !== parent)
  const newestFirst = (a: LedgerEntry, b: LedgerEntry): number => b.ordinal - a.ordinal
  return [...own.sort(newestFirst), ...others.sort(newestFirst)].slice(0, MAX_FAILURES).map((entry) => {
    const { summary, reason, diagnostic } = describeFailed(entry)
    const said = diagnostic.replaceAll(/\s+/g, ' ').slice(0, DETAIL_CHARACTERS)
    return `candidate ${entry.ordinal}, ${reason}: ${summary || 'no summary'}${said ? ` (${said})` : ''}`
  })
}
