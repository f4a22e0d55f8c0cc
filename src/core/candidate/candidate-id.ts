/** An ordinal in ids and file names: at least four digits, so that lists sort. */
export function paddedOrdinal(ordinal: number): string {
  return `${ordinal}`.padStart(4, '0')
}

/** `<campaign>-0042`. */
export function candidateId(campaign: string, ordinal: number): string {
  return `${campaign}-${paddedOrdinal(ordinal)}`
}
