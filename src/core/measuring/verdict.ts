import type { CellRefusal } from '../archive/archive.ts'
import type { CellId } from '../archive/cells.ts'

/** Why a candidate has no value. */
export const FAILURE_REASONS = [
  'agent-failed',
  'no-change',
  'guard-blocked',
  'gate-failed',
  'quick-refused',
  'evaluation-failed',
  'evaluation-timed-out',
  'disk-limit',
  'output-unreadable',
  'metric-missing',
  'metric-not-finite',
  'metric-out-of-bounds',
  'infrastructure',
  'cancelled',
] as const
export type FailureReason = (typeof FAILURE_REASONS)[number]

/** Why a candidate was admitted to the archive, or refused. */
export type Verdict =
  | { readonly status: 'admitted'; readonly as: 'new-cell'; readonly cell: CellId }
  | {
      readonly status: 'admitted'
      readonly as: 'improved'
      readonly cell: CellId
      readonly replaced: number
      readonly also?: readonly number[] | undefined
    }
  /** A trade-off beside the cell's other elites; one of them may have been evicted. */
  | {
      readonly status: 'admitted'
      readonly as: 'joined'
      readonly cell: CellId
      readonly dropped?: number | undefined
    }
  | {
      readonly status: 'refused'
      readonly reason: CellRefusal
      readonly cell: CellId
      readonly holder: number
    }
  | { readonly status: 'refused'; readonly reason: 'duplicate'; readonly of: number }
  | { readonly status: 'refused'; readonly reason: FailureReason; readonly detail: string }
  /** The evaluator or the budget changed before it finished. It does not count against the budget. */
  | { readonly status: 'refused'; readonly reason: 'superseded' }
  /** A candidate was measured again. These figures count from now on. */
  | { readonly status: 'confirmed'; readonly of: number }
  /** The gain is missing on held-out inputs: no cell, no pull request. */
  | { readonly status: 'overfitted'; readonly of: number }
  /** A close call was settled by an interleaved measurement of both on one machine. */
  | { readonly status: 'duelled'; readonly of: number; readonly rival: number; readonly won: boolean }

/** A verdict in one word. */
export function verdictWord(verdict: Verdict): string {
  if (verdict.status === 'admitted') return verdict.as
  if (verdict.status === 'duelled') return verdict.won ? 'duel-won' : 'duel-lost'
  return verdict.status === 'refused' ? verdict.reason : verdict.status
}

/** The failure of a candidate or the infrastructure, if any. A candidate that is merely not better has none. */
export function findFailure(verdict: Verdict): FailureReason | undefined {
  return verdict.status === 'refused' && 'detail' in verdict ? verdict.reason : undefined
}

/** The candidate's own failure: not the infrastructure's, and not a cancellation. */
export function findOwnFailure(verdict: Verdict): FailureReason | undefined {
  const failure = findFailure(verdict)
  return failure === 'infrastructure' || failure === 'cancelled' ? undefined : failure
}
