import type { IslandId } from '../archive/islands.ts'
import type { CommandableLimit, CommandedLimits, Limits, Usage } from '../budget/budget.ts'
import type { HeldOut } from '../measuring/held-out.ts'
import type { ValueInterval } from '../measuring/measurement.ts'
import type { Metrics } from '../measuring/objective.ts'
import type { Operator } from '../planning/operators.ts'
import type { ParentRef } from './job.ts'

/** The life of a pull request: confirmed first, then opened, then judged by people. */
export const PULL_STATUSES = ['confirming', 'confirmed', 'refused', 'open', 'merged', 'closed'] as const
export type PullStatus = (typeof PULL_STATUSES)[number]

/** An independent measurement: its numbers did not select the candidate. */
export interface Confirmation {
  readonly metrics: Metrics
  readonly interval?: ValueInterval | undefined
  readonly heldOut?: HeldOut | undefined
}

/** A candidate that was, is or will be proposed as a pull request. */
export interface Pull {
  readonly candidate: ParentRef
  /** Who asked for it; undefined if the end of the campaign did. */
  readonly askedBy?: string | undefined
  readonly status: PullStatus
  readonly number?: number | undefined
  readonly confirmation?: Confirmation | undefined
  /** Why there is no pull request. */
  readonly detail?: string | undefined
  /** Someone with write permission released CI for it. */
  readonly ciReleased?: boolean | undefined
}

/** The issue that started a campaign. Its text comes from the starting event and is treated as data. */
export interface Direction {
  readonly issue: number
  readonly title: string
  readonly body: string
}

export const REFUSALS = ['workflows-diverged', 'refused'] as const

/** A ref that should have moved with a state commit but was refused. */
export interface UnpublishedRef {
  readonly ref: string
  /** Where it should point; undefined if it should be deleted. */
  readonly commit?: string | undefined
  /**
   * `workflows-diverged`: the host may not write workflow files, and the commit's differ from those of the default
   * branch. All later refs of this campaign would be refused too.
   */
  readonly reason: (typeof REFUSALS)[number]
  /** The server's answer. */
  readonly detail: string
}

/** What people and the calendar decided about a campaign. Bounded, because every tick rewrites it. */
export interface Control {
  readonly direction?: Direction | undefined
  /** Ledger lines that are not candidates: confirmations, later baselines, and jobs superseded by a new epoch or a smaller budget. */
  readonly confirmed: number
  /** How many candidates had finished at the last checkpoint. */
  readonly checkpointAt: number
  /** The day (UTC) of the last tick, and how many candidates were planned on it. */
  readonly day?: { readonly date: string; readonly planned: number } | undefined
  readonly pulls: readonly Pull[]
  /** Candidates that people declined: they get no cell, no children and no pull request. */
  readonly declined: readonly number[]
  /** `declined` or relevant figures changed, so the archive must be rebuilt from the history. */
  readonly rebuildDue?: boolean | undefined
  /** When somebody last resumed it. Earlier changes to its issue do not count. */
  readonly resumedAt?: string | undefined
  /** Limits set by command. */
  readonly spoken?: CommandedLimits | undefined
  /** Each improvement of the best: the number of finished candidates and the first objective. Bounded. */
  readonly bests: readonly { readonly finished: number; readonly value: number }[]
  /** Measured candidates that still need a check run, oldest first. */
  readonly unchecked: readonly number[]
  /** The candidates measured again at the campaign's end. */
  readonly finals: readonly number[]
  /** The GUIDs of button presses that were obeyed. The latest ones. */
  readonly pressed?: readonly string[] | undefined
  /** Runs besides the one that counts for their job, whose cost is in `used`. The latest ones. */
  readonly duplicates?: readonly number[] | undefined
  /** Refs that the server refused. Keep refs are retried until they succeed. */
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

/** The plan of a failed candidate, used to plan it again. */
export interface Plan {
  readonly operator: Operator
  readonly lens?: string | undefined
  readonly seen?: number | undefined
  readonly repairs?: number | undefined
  readonly island?: IslandId | undefined
  readonly parent: ParentRef
  readonly inspirations: readonly ParentRef[]
}

/** External reasons to pause a campaign. */
export type HoldReason = 'issue' | 'preflight' | 'workflows-diverged'

/** Events from people, the calendar and GitHub, besides results. */
export type SteeringEvent =
  /** Time has passed. It changes nothing by itself. */
  | { readonly type: 'timer' }
  /** The workflow run of a dispatched job is known. */
  | { readonly type: 'dispatched'; readonly ordinal: number; readonly attempt: number; readonly run: number }
  /** The run of a job was cancelled before it did its work. The job waits for another run. */
  | {
      readonly type: 'withdrawn'
      readonly ordinal: number
      readonly attempt: number
      readonly usage: Usage
    }
  /** A run ended whose job another run counts for, or none. It cost money all the same. */
  | { readonly type: 'duplicate'; readonly run: number; readonly usage: Usage }
  /** The events of this step obey a press of a button. */
  | { readonly type: 'pressed'; readonly delivery: string }
  /** The config's limits changed. */
  | { readonly type: 'limits'; readonly limits: Limits }
  /** Somebody set a limit by command. */
  | { readonly type: 'budget'; readonly limit: CommandableLimit; readonly amount: number }
  /** Someone with write permission edited the issue. With `issue`, a campaign without one is steered there from now on. */
  | {
      readonly type: 'direction'
      readonly issue?: number | undefined
      readonly title: string
      readonly body: string
    }
  /** An external reason pauses the campaign. */
  | { readonly type: 'hold'; readonly reason: HoldReason; readonly detail: string }
  /** All refs that are currently unpublished; empty once the last one succeeded. */
  | { readonly type: 'unpublished'; readonly refs: readonly UnpublishedRef[] }
  /** Propose a candidate as a pull request, after an independent measurement. */
  | { readonly type: 'promote'; readonly candidate: ParentRef; readonly by: string }
  | { readonly type: 'discard'; readonly ordinal: number }
  /** Measure a candidate again. */
  | { readonly type: 'measure-again'; readonly candidate: ParentRef }
  /** Try a failed plan again as a new candidate. */
  | { readonly type: 'plan-again'; readonly plan: Plan }
  /** The status of a pull request changed. */
  | {
      readonly type: 'pull'
      readonly ordinal: number
      readonly status: PullStatus
      readonly number?: number | undefined
      readonly detail?: string | undefined
    }
  | { readonly type: 'ci-released'; readonly ordinal: number }
  | { readonly type: 'checked'; readonly ordinal: number }
  /** GitHub continues a campaign that a local host began in ordinal order. From now on results are admitted as they arrive. */
  | { readonly type: 'adopted'; readonly direction: Direction; readonly nonce: string }
