import { type FailureReason, findFailure, type Verdict } from '../measuring/verdict.ts'

/** Failures of late. Bounded: it is rewritten at every tick. */
export interface SameFailure {
  /** The reason of the last failures in a row, and how many they are. */
  readonly reason?: FailureReason | undefined
  readonly count: number
  /** Failures that are not the candidates' own and are alike, since one last came through; newest last. */
  readonly alike?: readonly AlikeFailure[] | undefined
}

interface AlikeFailure {
  readonly reason: FailureReason
  /** What they have in common. */
  readonly detail: string
  readonly count: number
}

// Broken machinery and a wrong key do not mend themselves by trying: every further candidate would be paid for in vain.
const MOST_ALIKE: Partial<Record<FailureReason, number>> = { infrastructure: 3, 'agent-failed': 5 }
const ALIKE_KEPT = 8
const DETAIL_CHARACTERS = 200

/** Takes in how one more candidate ended. Whatever was measured, admitted or not, ends the row. */
export function countFailure(known: SameFailure, verdict: Verdict): SameFailure {
  const reason = findFailure(verdict)
  if (reason === undefined || !('detail' in verdict)) return { count: 0 }
  const alike = countAlike(known.alike ?? [], reason, verdict.detail)
  return {
    reason,
    count: reason === known.reason ? known.count + 1 : 1,
    ...(alike.length > 0 && { alike }),
  }
}

// Other failures in between change nothing: with a wrong key, too, now and then a candidate fails before it is used.
function countAlike(
  known: readonly AlikeFailure[],
  reason: FailureReason,
  text: string,
): readonly AlikeFailure[] {
  if (MOST_ALIKE[reason] === undefined) return known
  // Ids, times and amounts differ from run to run, and say nothing of the cause.
  const detail = text.replaceAll(/[\w-]*\d[\w-]*/g, '…').slice(0, DETAIL_CHARACTERS)
  const isSame = (each: AlikeFailure): boolean => each.reason === reason && each.detail === detail
  const count = (known.find(isSame)?.count ?? 0) + 1
  return [...known.filter((each) => !isSame(each)), { reason, detail, count }].slice(-ALIKE_KEPT)
}

/** Why a person should look before more is spent on candidates that all fail; undefined when there is no need. */
export function findSameFailure(
  { reason, count, alike = [] }: SameFailure,
  sameFailure: number,
): string | undefined {
  const most = (of: FailureReason): number => Math.min(MOST_ALIKE[of] ?? sameFailure, sameFailure)
  const row = reason === 'infrastructure' ? most(reason) : sameFailure
  if (reason !== undefined && count >= row) return `${count} candidates in a row ended with ${reason}`
  const found = alike.find((each) => each.count >= most(each.reason))
  return found && `${found.count} candidates ended alike with ${found.reason}: ${found.detail}`
}
