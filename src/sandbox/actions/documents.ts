import { defineTable } from '../state/store.ts'

/** A workflow file that is or was on the default branch. */
export interface Workflow {
  readonly id: number
  readonly repositoryId: number
  /** Such as `.github/workflows/ci.yml`. */
  readonly path: string
  readonly name: string
  readonly state: 'active' | 'disabled_manually' | 'deleted'
  readonly createdAt: string
  readonly updatedAt: string
}

/** `pending`: waiting for another run in its concurrency group. */
export type RunStatus = 'pending' | 'queued' | 'waiting' | 'in_progress' | 'completed'
export type Conclusion =
  | 'success'
  | 'failure'
  | 'cancelled'
  | 'skipped'
  | 'timed_out'
  | 'neutral'
  | 'startup_failure'

/** One run of a workflow: its latest attempt. */
export interface Run {
  readonly id: number
  readonly repositoryId: number
  readonly workflowId: number
  readonly checkSuiteId: number
  readonly name: string
  readonly path: string
  readonly displayTitle: string
  readonly number: number
  readonly attempt: number
  /** The event's name, such as `workflow_dispatch`. */
  readonly event: string
  /** The run's `github.event`. */
  readonly payload: Readonly<Record<string, unknown>>
  /** The full ref of the run. */
  readonly ref: string
  readonly headSha: string
  /** For a pull request: its head merged into its base. The jobs see this commit. */
  readonly mergeSha?: string
  readonly status: RunStatus
  readonly conclusion: Conclusion | null
  readonly actor: string
  readonly triggeringActor: string
  /** Which jobs this attempt runs: all of them, those that failed before, or one. */
  readonly scope: RunScope
  readonly createdAt: string
  readonly startedAt: string
  readonly updatedAt: string
}

export type RunScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'job'; readonly jobId: number }

export interface Step {
  readonly number: number
  readonly name: string
  readonly status: 'queued' | 'in_progress' | 'completed'
  readonly conclusion: 'success' | 'failure' | 'cancelled' | 'skipped' | null
  readonly startedAt: string | null
  readonly completedAt: string | null
}

/** One job of one attempt of a run. */
export interface Job {
  readonly id: number
  readonly runId: number
  readonly attempt: number
  readonly name: string
  readonly labels: readonly string[]
  readonly status: 'queued' | 'in_progress' | 'completed'
  readonly conclusion: Exclude<Conclusion, 'startup_failure'> | null
  readonly steps: readonly Step[]
  readonly runnerName: string | null
  readonly createdAt: string
  readonly startedAt: string
  readonly completedAt: string | null
}

/** Something a run has uploaded. It never changes: a replacement is another artifact with another id. */
export interface Artifact {
  readonly id: number
  readonly repositoryId: number
  readonly runId: number
  /** The job that uploaded it, if one did. */
  readonly jobId: number | null
  readonly attempt: number
  readonly name: string
  readonly mimeType: string
  readonly sizeBytes: number
  /** `sha256:` followed by the content's digest. */
  readonly digest: string
  readonly createdAt: string
  readonly expiresAt: string
}

/** Something a run has kept for later runs. It never changes: new content needs another key or version. */
export interface CacheEntry {
  readonly id: number
  readonly repositoryId: number
  /** The full ref of the run that created it. Runs on most other refs cannot see it. */
  readonly scope: string
  readonly key: string
  /** A digest that clients use to skip entries they could not unpack. */
  readonly version: string
  readonly sizeBytes: number
  readonly createdAt: string
  readonly lastUsedAt: string
}

export const workflows = defineTable<Workflow>('workflows')
export const runs = defineTable<Run>('workflow-runs')
/** Attempts before the latest, by `run/attempt`. */
export const earlierAttempts = defineTable<Run>('workflow-run-attempts')
export const jobs = defineTable<Job>('workflow-jobs')
export const artifacts = defineTable<Artifact>('artifacts')
export const cacheEntries = defineTable<CacheEntry>('cache-entries')
