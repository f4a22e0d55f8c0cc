import { type FailureReason, findFailure, type Verdict } from '../measuring/verdict.ts'

/** Recent failures. Bounded, because every tick rewrites it. */
export interface SameFailure {
  /** The reason of the latest consecutive failures, and their number. */
  readonly reason?: FailureReason | undefined
  readonly count: number
  /** Similar failures that were not the candidates' fault, since the last success; newest last. */
  readonly alike?: readonly AlikeFailure[] | undefined
}

interface AlikeFailure {
  readonly reason: FailureReason
  /** The detail that they share. */
  readonly detail: string
  readonly count: number
}

// Retrying does not fix broken infrastructure or a wrong key. Every further candidate would waste money.
const MOST_ALIKE: Partial<Record<FailureReason, number>> = { infrastructure: 3, 'agent-failed': 5 }
const ALIKE_KEPT = 8
const DETAIL_CHARACTERS = 200

/** Counts how one more candidate ended. Any measured candidate resets the count. */
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

// Other failures in between do not reset the count: even with a wrong key, some candidates fail before they use it.
function countAlike(
  known: readonly AlikeFailure[],
  reason: FailureReason,
  text: string,
): readonly AlikeFailure[] {
  if (MOST_ALIKE[reason] === undefined) return known
  // Ids, times and amounts differ from run to run and say nothing about the cause.
  const detail = text.replaceAll(/[\w-]*\d[\w-]*/g, '…').slice(0, DETAIL_CHARACTERS)
  const isSame = (each: AlikeFailure): boolean => each.reason === reason && each.detail === detail
  const count = (known.find(isSame)?.count ?? 0) + 1
  return [...known.filter((each) => !isSame(each)), { reason, detail, count }].slice(-ALIKE_KEPT)
}

/** Why a person should look before more is spent; undefined if there is no need. */
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
