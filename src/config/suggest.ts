/** The option nearest to what was written, if it is near enough to be a slip of the keyboard. */
export function findNearest(written: string, options: readonly string[]): string | undefined {
  const allowed = Math.max(1, Math.floor(written.length / 3))
  let best: { option: string; distance: number } | undefined
  for (const option of options) {
    if (Math.abs(option.length - written.length) > allowed) continue
    const distance = editDistance(written.toLowerCase(), option)
    if (distance <= allowed && (best === undefined || distance < best.distance)) best = { option, distance }
  }
  return best?.option
}

/** Levenshtein distance, O(a·b). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
