/** Why a file is excluded from the embedding. */
export const LEFT_OUT_REASONS = [
  'ignored',
  'not-a-file',
  'not-source',
  'generated',
  'empty',
  'too-large',
  'binary',
  'long-lines',
] as const
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number]

/** The number of excluded files by reason. Reasons without files are absent. */
export type LeftOut = Readonly<Partial<Record<LeftOutReason, number>>>

export function countLeftOut(reasons: readonly (LeftOutReason | undefined)[]): LeftOut {
  return byReason((wanted) => reasons.filter((reason) => reason === wanted).length)
}

/** The sum of two counts. */
export function addLeftOut(a: LeftOut, b: LeftOut): LeftOut {
  return byReason((reason) => (a[reason] ?? 0) + (b[reason] ?? 0))
}

function byReason(count: (reason: LeftOutReason) => number): LeftOut {
  const counts = LEFT_OUT_REASONS.map((reason) => [reason, count(reason)] as const)
  return Object.fromEntries(counts.filter(([, files]) => files > 0))
}
