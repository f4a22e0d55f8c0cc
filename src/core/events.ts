import type { Limits } from './budget.ts'
import type { Job, JobResult, LedgerEntry } from './campaign.ts'
import type { Pull, SteeringEvent } from './control.ts'
import type { Reconfiguration } from './epoch.ts'

/** What a tick takes in. */
export type CampaignEvent =
  /** A host starts to drive the campaign: open jobs are dispatched again, changed limits apply. */
  | {
      readonly type: 'resumed'
      readonly limits: Limits
      /** Runs that another host began are not waited for. */
      readonly takeOver?: true
      /** When somebody asked for it; what happened to its issue since then counts. By default now. */
      readonly askedAt?: string | undefined
      /** Whoever says so has seen that the numbers vary too much, and goes on regardless. */
      readonly acceptNoise?: true
    }
  | {
      readonly type: 'finished'
      readonly ordinal: number
      readonly attempt: number
      /** The workflow run that ended, where there are any. */
      readonly run?: number
      readonly result: JobResult
    }
  | { readonly type: 'command'; readonly command: 'pause' | 'stop'; readonly detail: string }
  /** Another config is used from now on. */
  | ({ readonly type: 'config' } & Reconfiguration)
  /** The whole ledger with its embeddings, which a tick asked for. */
  | { readonly type: 'history'; readonly entries: readonly LedgerEntry[] }
  | SteeringEvent

/** What a tick wants done in the world. */
export type Effect =
  /** `again`: an earlier tick planned the job, so that whoever took that tick may have started it. */
  | { readonly type: 'dispatch'; readonly job: Job; readonly again: boolean }
  /** A run that nobody waits for any more. */
  | { readonly type: 'cancel'; readonly run: number }
  /** The axes are to be fitted anew: give the whole history back as an event. Nothing moves until then. */
  | { readonly type: 'need-history' }
  /** Write or renew the check run of a measured candidate. */
  | { readonly type: 'check'; readonly ordinal: number }
  | { readonly type: 'open-pull'; readonly pull: Pull }
  | { readonly type: 'close-pull'; readonly pull: Pull }
  /** People should see what changed. */
  | { readonly type: 'report' }
