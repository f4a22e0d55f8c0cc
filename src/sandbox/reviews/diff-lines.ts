/** A line of a file's diff, as comments point at it. */
export interface DiffLine {
  /** Lines below the first `@@`. */
  readonly position: number
  /** Its number in the file before and after; null where it is not. */
  readonly left: number | null
  readonly right: number | null
  /** The diff from its `@@` as far as this line. */
  readonly hunk: string
}

/** The lines of a patch, its first `@@` being position 0. */
export function readDiffLines(patch: string): DiffLine[] {
  const lines: DiffLine[] = []
  let [left, right] = [0, 0]
  let hunk: string[] = []
  for (const [position, text] of patch.split('\n').entries()) {
    const start = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text)
    hunk = start === null ? [...hunk, text] : [text]
    if (start !== null) [left, right] = [Number(start[1]), Number(start[2])]
    // `\ No newline at end of file` is in neither file.
    if (start !== null || text.startsWith('\\')) continue
    const [isLeft, isRight] = [!text.startsWith('+'), !text.startsWith('-')]
    lines.push({
      position,
      left: isLeft ? left : null,
      right: isRight ? right : null,
      hunk: hunk.join('\n'),
    })
    left += isLeft ? 1 : 0
    right += isRight ? 1 : 0
  }
  return lines
}
