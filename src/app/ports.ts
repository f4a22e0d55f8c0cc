import type { Clock } from '../github/api/clock.ts'
import type { StatePace } from '../github/api/pace-settings.ts'
import type { Recent } from '../github/api/recent.ts'
import type { RepositoryApi } from '../github/api/repository-api.ts'
import type { BaseTrees } from '../github/git/base-trees.ts'
import type { Candidates } from '../github/git/candidates.ts'
import type { Comments } from '../github/issues/comments.ts'
import type { PermissionReader } from '../github/issues/permissions.ts'
import type { EliteNamespaces } from '../github/preflight/elite-namespace.ts'
import type { GitHubStore } from '../github/state/github-store.ts'
import type { ProposalBinding } from '../protocol/dispatch.ts'

// The app's dependencies for one repository, one port each. A module names the few that it uses.

/** How the app behaves. The sandbox and the tests use other numbers than production. */
export interface AppSettings {
  readonly statePace: StatePace
  /** The least time between two edits of a dashboard. */
  readonly reportMs: number
  /** How often open candidates are compared with their runs on GitHub. */
  readonly reconcileMs: number
  /**
   * The least time between two full reconciles: of installations, config, labels, commands and pull requests. Webhooks
   * report those. Runs cost money and are compared more often.
   */
  readonly fullReconcileMs: number
  /** How long to look for an unconfirmed dispatch by name before it is sent again. */
  readonly searchMs: number
  /**
   * How long another process that is alive may take to start a job that it has claimed, until GitHub shows the run. 0
   * where processes follow one another, so that no other is alive.
   */
  readonly startMs: number
}

/** Writes a message for the operator. */
export type Log = (
  level: 'info' | 'warn' | 'error',
  message: string,
  facts?: Readonly<Record<string, unknown>>,
) => void

/** GitHub's own records of the job that measured. */
export interface Evaluation {
  /** The proposal that the job was started on; none if it measured a commit. */
  readonly binding?: ProposalBinding | undefined
  /** The runner's label. */
  readonly label?: string | undefined
}

export interface ApiPort {
  readonly api: RepositoryApi
}

export interface StatePort {
  readonly store: GitHubStore
}

/** Commits of candidates. */
export interface CommitsPort {
  readonly candidates: Candidates
}

export interface TreesPort {
  readonly trees: BaseTrees
}

/** Where elites are published: as branches, unless branches would trigger something. */
export interface ElitesPort {
  readonly eliteNamespaces: EliteNamespaces
}

export interface CommentsPort {
  readonly comments: Comments
}

export interface PermissionsPort {
  readonly permissions: PermissionReader
}

export interface ClockPort {
  readonly clock: Clock
}

export interface SettingsPort {
  readonly settings: AppSettings
}

export interface LogPort {
  readonly log: Log
}

/** The app's own login, such as `loreley[bot]`. */
export interface ActorPort {
  readonly actor: string
}

export interface DefaultBranchPort {
  readonly defaultBranch: string
}

/** Where people see the repository. */
export interface WebPort {
  readonly webUrl: string
}

/** By run: its `evaluate` job, as a webhook reported it. */
export interface EvaluationsPort {
  readonly evaluations: Recent<Evaluation>
}

/** By candidate: its planner's text, for check runs. After a restart, a check run keeps its old text. */
export interface PlansPort {
  readonly plans: Recent<string>
}

/** Whether an owner granted the permission `workflows`, which the app does not request. */
export interface WorkflowPermissionPort {
  mayWriteWorkflows(): Promise<boolean>
}
