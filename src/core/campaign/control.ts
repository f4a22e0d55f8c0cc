import type { IslandId } from '../archive/islands.ts'
import type { CommandableLimit, CommandedLimits, Limits, Usage } from '../budget/budget.ts'
import type { HeldOut } from '../measuring/held-out.ts'
import type { ValueInterval } from '../measuring/measurement.ts'
import type { Metrics } from '../measuring/objective.ts'
import type { Operator } from '../planning/operators.ts'
import type { ParentRef } from './job.ts'

/** What a pull request went through: confirmed first, then open, then judged by people. */
export const PULL_STATUSES = ['confirming', 'confirmed', 'refused', 'open', 'merged', 'closed'] as const
export type PullStatus = (typeof PULL_STATUSES)[number]

/** What an independent measurement gave: nobody chose the candidate for these numbers. */
export interface Confirmation {
  readonly metrics: Metrics
  readonly interval?: ValueInterval | undefined
  readonly heldOut?: HeldOut | undefined
}

/** A candidate that was, is or shall be offered to people as a pull request. */
export interface Pull {
  readonly candidate: ParentRef
  /** Who asked for it; undefined when the campaign's end did. */
  readonly askedBy?: string | undefined
  readonly status: PullStatus
  readonly number?: number | undefined
  readonly confirmation?: Confirmation | undefined
  /** Why there is none. */
  readonly detail?: string | undefined
  /** A writer let CI run on it. */
  readonly ciReleased?: boolean | undefined
}

/** The issue that started a campaign. Its words come from the event that did, and are data. */
export interface Direction {
  readonly issue: number
  readonly title: string
  readonly body: string
}

export const REFUSALS = ['workflows-diverged', 'refused'] as const

/** A ref that should have gone with a state commit and was refused. */
export interface UnpublishedRef {
  readonly ref: string
  /** Where it should point; undefined for one that should be gone. */
  readonly commit?: string | undefined
  /**
   * `workflows-diverged`: the host may not write workflow files, and the commit's are not those of the default
   * branch; all later refs of this campaign would meet the same.
   */
  readonly reason: (typeof REFUSALS)[number]
  /** What the other side said. */
  readonly detail: string
}

/** What people and the calendar decided about a campaign. Bounded: it is rewritten at every tick. */
export interface Control {
  readonly direction?: Direction | undefined
  /** Lines of the ledger that are no candidates: confirmations, later baselines, what a new epoch or a smaller budget superseded. */
  readonly confirmed: number
  /** How many candidates had finished at the last checkpoint. */
  readonly checkpointAt: number
  /** The day (UTC) of the last tick, and how many candidates were planned on it. */
  readonly day?: { readonly date: string; readonly planned: number } | undefined
  readonly pulls: readonly Pull[]
  /** Candidates that people do not want: no cell, no children, no pull requests. */
  readonly declined: readonly number[]
  /** `declined` or figures that count have changed since the archive was made: it is to be made again from the history. */
  readonly rebuildDue?: boolean | undefined
  /** When somebody last said that it shall go on: what happened to its issue before does not count. */
  readonly resumedAt?: string | undefined
  /** Limits that somebody set by command. */
  readonly spoken?: CommandedLimits | undefined
  /** Every time the best became better: after how many candidates, and its first objective. Bounded. */
  readonly bests: readonly { readonly finished: number; readonly value: number }[]
  /** Measured candidates whose check run is still to be written, oldest first. */
  readonly unchecked: readonly number[]
  /** The candidates that were measured once more at the campaign's end. */
  readonly finals: readonly number[]
  /** What the other side did not take; kept commits are asked for again until it does. */
  readonly unpublished?: readonly UnpublishedRef[] | undefined
}

export const NO_CONTROL: Control = {
  confirmed: 0,
  checkpointAt: 0,
  pulls: [],
  declined: [],
  bests: [],
  unchecked: [],
  finals: [],
}

/** How a failed candidate was planned, to plan it once more. */
export interface Plan {
  readonly operator: Operator
  readonly lens?: string | undefined
  readonly seen?: number | undefined
  readonly repairs?: number | undefined
  readonly island?: IslandId | undefined
  readonly parent: ParentRef
  readonly inspirations: readonly ParentRef[]
}

/** What may hold a campaign up from outside. */
export type HoldReason = 'issue' | 'preflight' | 'workflows-diverged'

/** What people, the calendar and GitHub tell a campaign, besides results. */
export type SteeringEvent =
  /** Time has passed: a new day, a stale limit. It changes nothing by itself. */
  | { readonly type: 'timer' }
  /** The workflow run of a dispatched job is known. */
  | { readonly type: 'dispatched'; readonly ordinal: number; readonly attempt: number; readonly run: number }
  /** The run of a job will not do its work: it is called off, and the job waits for another one. */
  | {
      readonly type: 'withdrawn'
      readonly ordinal: number
      readonly attempt: number
      readonly usage: Usage
    }
  /** The config's limits are these from now on. */
  | { readonly type: 'limits'; readonly limits: Limits }
  /** Somebody set one limit by command. */
  | { readonly type: 'budget'; readonly limit: CommandableLimit; readonly amount: number }
  /** Somebody who may write has edited the issue; or, with its number, a campaign without one is steered there from now on. */
  | {
      readonly type: 'direction'
      readonly issue?: number | undefined
      readonly title: string
      readonly body: string
    }
  /** Something outside holds the campaign up. */
  | { readonly type: 'hold'; readonly reason: HoldReason; readonly detail: string }
  /** All refs that are not published now: none when the last one went through. */
  | { readonly type: 'unpublished'; readonly refs: readonly UnpublishedRef[] }
  /** Offer a candidate as a pull request, after an independent measurement. */
  | { readonly type: 'promote'; readonly candidate: ParentRef; readonly by: string }
  | { readonly type: 'discard'; readonly ordinal: number }
  /** Measure a candidate again. */
  | { readonly type: 'measure-again'; readonly candidate: ParentRef }
  /** Try a failed plan again, as a new candidate. */
  | { readonly type: 'plan-again'; readonly plan: Plan }
  /** What became of a pull request. */
  | {
      readonly type: 'pull'
      readonly ordinal: number
      readonly status: PullStatus
      readonly number?: number | undefined
      readonly detail?: string | undefined
    }
  | { readonly type: 'ci-released'; readonly ordinal: number }
  | { readonly type: 'checked'; readonly ordinal: number }
  /** GitHub's runners carry on what a machine began in ordinal order: from now on results are admitted as they come. */
  | { readonly type: 'adopted'; readonly direction: Direction; readonly nonce: string }
