import type { BaseTrees } from '../github/base-trees.ts'
import type { Candidates } from '../github/candidates.ts'
import type { Clock } from '../github/clock.ts'
import type { Comments } from '../github/comments.ts'
import type { ElitePlaces } from '../github/elite-places.ts'
import type { GitHubStore } from '../github/github-store.ts'
import type { StatePace } from '../github/pace-settings.ts'
import type { PermissionReader } from '../github/permissions.ts'
import type { Recent } from '../github/recent.ts'
import type { RepositoryApi } from '../github/repository-api.ts'
import type { ProposalBinding } from '../protocol/dispatch.ts'
import { runnerRef } from '../store/layout.ts'

/** How the app behaves; the box and the tests run with other numbers than production. */
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

/** All that the app has at hand for one repository. */
export interface RepositoryTools {
  readonly api: RepositoryApi
  readonly store: GitHubStore
  readonly candidates: Candidates
  /** By run: its `evaluate` job, as GitHub's webhook told of it. */
  readonly evaluations: Recent<Evaluation>
  /** By candidate: what its planner said, for check runs. After a restart a check run keeps what it says. */
  readonly plans: Recent<string>
  readonly trees: BaseTrees
  readonly comments: Comments
  readonly permissions: PermissionReader
  readonly clock: Clock
  readonly settings: AppSettings
  /** Where elites stand: as branches, unless they would set something off. */
  readonly elitePlaces: ElitePlaces
  /** Whether an owner gave the app the permission `workflows`, which it does not ask for. */
  mayWriteWorkflows(): Promise<boolean>
  /** The app's own login, such as `loreley[bot]`. */
  readonly actor: string
  readonly defaultBranch: string
  /** Where people look at the repository. */
  readonly webUrl: string
  readonly log: Log
  /** Does something for this repository, after all that waits already. */
  later(delayMs: number, task: () => Promise<void>): void
}

/** The one workflow that works on candidates. */
export const WORKFLOW_FILE = 'loreley.yml'
export const WORKFLOW_PATH = `.github/workflows/${WORKFLOW_FILE}`

/** The branch that a campaign's candidates are dispatched on, pinned to its root. */
export function runnerBranch(campaign: string): string {
  return runnerRef(campaign).slice('refs/heads/'.length)
}
