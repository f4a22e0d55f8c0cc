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

// What the app needs of the world for one repository, one port each. A module names the few that it uses.

/** How the app behaves; the sandbox and the tests run with other numbers than production. */
export interface AppSettings {
  readonly statePace: StatePace
  /** The least time between two edits of a dashboard. */
  readonly reportMs: number
  /** How often open candidates are compared with what GitHub says of their runs. */
  readonly reconcileMs: number
  /**
   * The least time between two full reconciles: of installations, config, labels, commands and pull requests.
   * Webhooks tell of those; runs cost money and are compared more often.
   */
  readonly fullReconcileMs: number
  /** How long a dispatch without an answer is looked for by name before it is dispatched again. */
  readonly searchMs: number
}

/** Something the app has to tell its operator. */
export type Log = (
  level: 'info' | 'warn' | 'error',
  message: string,
  facts?: Readonly<Record<string, unknown>>,
) => void

/** What GitHub's own records say of the job that measured. */
export interface Evaluation {
  /** Which proposal it was started on; there is none where a commit is measured. */
  readonly binding?: ProposalBinding | undefined
  /** Of its runner. */
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

/** Where elites lie: as branches, unless branches would set something off. */
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

/** Where people look at the repository. */
export interface WebPort {
  readonly webUrl: string
}

/** By run: its `evaluate` job, as GitHub's webhook told of it. */
export interface EvaluationsPort {
  readonly evaluations: Recent<Evaluation>
}

/** By candidate: what its planner said, for check runs. After a restart a check run keeps what it says. */
export interface PlansPort {
  readonly plans: Recent<string>
}

/** Whether an owner gave the app the permission `workflows`, which it does not ask for. */
export interface WorkflowPermissionPort {
  mayWriteWorkflows(): Promise<boolean>
}
