import type { Box } from '../box.ts'
import { isoTime } from '../format.ts'
import { defineTable, type Store } from '../state/store.ts'

export type CheckStatus = 'queued' | 'in_progress' | 'completed'
export const CONCLUSIONS = [
  'success',
  'failure',
  'neutral',
  'cancelled',
  'skipped',
  'timed_out',
  'action_required',
] as const
export type Conclusion = (typeof CONCLUSIONS)[number]

/** All check runs of one App for one commit. */
export interface CheckSuite {
  readonly id: number
  readonly repositoryId: number
  readonly appId: number
  readonly headSha: string
  readonly headBranch: string | null
  readonly before: string | null
  readonly status: CheckStatus
  readonly conclusion: Conclusion | null
  /** Ids of its check runs, oldest first. */
  readonly runs: readonly number[]
  readonly createdAt: string
  readonly updatedAt: string
}

export interface CheckRun {
  readonly id: number
  readonly repositoryId: number
  readonly suiteId: number
  readonly appId: number
  readonly headSha: string
  readonly name: string
  readonly externalId: string
  readonly detailsUrl: string | null
  readonly status: CheckStatus
  readonly conclusion: Conclusion | null
  readonly startedAt: string
  readonly completedAt: string | null
  readonly output: CheckOutput
  readonly actions: readonly CheckAction[]
}

interface CheckOutput {
  readonly title: string | null
  readonly summary: string | null
  readonly text: string | null
  readonly images: readonly CheckImage[]
}

export interface CheckImage {
  readonly alt: string
  readonly url: string
  readonly caption: string | null
}

/** A button on a completed check run. */
export interface CheckAction {
  readonly label: string
  readonly description: string
  readonly identifier: string
}

export interface Annotation {
  readonly path: string
  readonly startLine: number
  readonly endLine: number
  readonly startColumn: number | null
  readonly endColumn: number | null
  readonly level: string
  readonly title: string | null
  readonly message: string
  readonly rawDetails: string | null
}

export const checkSuites = defineTable<CheckSuite>('check-suites')
export const checkRuns = defineTable<CheckRun>('check-runs')
/** By check run. Kept apart because there can be many and a run is rewritten with every change. */
export const annotations = defineTable<readonly Annotation[]>('check-annotations')
/** By repository: the Apps that get no suite on a push. */
export const appsWithoutSuites = defineTable<readonly number[]>('check-suite-preferences')

// An index, so that a commit's suites are found without a scan.
const suitesByCommit = defineTable<readonly number[]>('check-suites-by-commit')

/** The check suites of a commit, oldest first. */
export function suitesAt(store: Store, repositoryId: number, sha: string): CheckSuite[] {
  const ids = suitesByCommit(store).find(`${repositoryId}:${sha}`) ?? []
  return ids.flatMap((id) => checkSuites(store).find(id) ?? [])
}

/** The check runs of a suite, oldest first. */
export function runsOf(store: Store, suite: CheckSuite): CheckRun[] {
  return suite.runs.flatMap((id) => checkRuns(store).find(id) ?? [])
}

/** Keeps only the newest of runs with the same name in one suite. */
export function latestRuns(runs: readonly CheckRun[]): CheckRun[] {
  return [...new Map(runs.map((run) => [`${run.suiteId}:${run.name}`, run])).values()]
}

/** Creates an App's suite for a commit. Sends no event. */
export function addSuite(
  box: Box,
  draft: Pick<CheckSuite, 'repositoryId' | 'appId' | 'headSha' | 'headBranch' | 'before'>,
): CheckSuite {
  const now = isoTime(box.now())
  const id = box.store.next('check-suites')
  const key = `${draft.repositoryId}:${draft.headSha}`
  suitesByCommit(box.store).put(key, [...(suitesByCommit(box.store).find(key) ?? []), id])
  return checkSuites(box.store).put(id, {
    ...draft,
    id,
    status: 'queued',
    conclusion: null,
    runs: [],
    createdAt: now,
    updatedAt: now,
  })
}
