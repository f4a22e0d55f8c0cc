import type { Archive } from '../archive/archive.ts'
import type { Limits, Reserve } from '../budget/budget.ts'
import type { Projection } from '../space/projection.ts'
import type { CampaignState } from './campaign.ts'
import type { Pull, SteeringEvent } from './control.ts'
import type { EngineConfig } from './engine-config.ts'
import type { Job, JobResult } from './job.ts'
import type { LedgerEntry } from './ledger.ts'

/** What a history leads to, computed before the tick that takes it. */
export interface PreparedHistory {
  /** The state that it was computed for. */
  readonly base: CampaignState
  readonly projection: Projection
  readonly archive: Archive
}

/** A new config, with the digests of its evaluator and embedder. */
export interface Reconfiguration {
  readonly config: EngineConfig
  readonly evaluator: string
  readonly embedder?: string | undefined
  readonly reserved: Reserve
}

/** The input of a tick. */
export type CampaignEvent =
  /** A host starts to drive the campaign: it dispatches open jobs again and applies changed limits. */
  | {
      readonly type: 'resumed'
      readonly limits: Limits
      /** Do not wait for runs that another host started. */
      readonly takeOver?: true
      /** When somebody asked for it. Later changes to the issue count. Default: now. */
      readonly askedAt?: string | undefined
      /** The person has seen that the evaluator is too noisy and continues anyway. */
      readonly acceptNoise?: true
    }
  | {
      readonly type: 'finished'
      readonly ordinal: number
      readonly attempt: number
      /** The workflow run that ended, if any. */
      readonly run?: number
      readonly result: JobResult
    }
  /** A process that takes this step claims jobs without a run: those that nobody has claimed, and those named here. */
  | {
      readonly type: 'claim'
      readonly by: string
      readonly takesOver: readonly Pick<Job, 'ordinal' | 'attempt'>[]
    }
  | { readonly type: 'command'; readonly command: 'pause' | 'stop'; readonly detail: string }
  /** The config changed. */
  | ({ readonly type: 'config' } & Reconfiguration)
  /** The whole ledger with its embeddings, as requested by a tick. Without `prepared`, the tick does the work itself. */
  | {
      readonly type: 'history'
      readonly entries: readonly LedgerEntry[]
      readonly prepared?: PreparedHistory
    }
  | SteeringEvent

/** What a tick wants done in the world. */
export type Effect =
  | { readonly type: 'dispatch'; readonly job: Job }
  /** Nobody waits for this run any more. */
  | { readonly type: 'cancel'; readonly run: number }
  /** The axes must be refitted: send the whole history as an event. Nothing moves until then. */
  | { readonly type: 'need-history' }
  /** Write or update the check run of a measured candidate. */
  | { readonly type: 'check'; readonly ordinal: number }
  | { readonly type: 'open-pull'; readonly pull: Pull }
  | { readonly type: 'close-pull'; readonly pull: Pull }
  /** Update what people see. */
  | { readonly type: 'report' }
