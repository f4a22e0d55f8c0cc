import { diffArrays } from 'diff'

/** Lines `start` to `end` (excluded) of the old text became `lines`. Line breaks are part of the lines. */
export interface Hunk {
  readonly start: number
  readonly end: number
  readonly lines: readonly string[]
}

// Texts that differ more have little in common, and comparing them takes quadratic time.
const MAX_CHANGED_LINES = 2000

/** Where two texts differ, by line; undefined if they differ too much to compare. */
export function findHunks(before: string, after: string): Hunk[] | undefined {
  const changes = diffArrays(toLines(before), toLines(after), { maxEditLength: MAX_CHANGED_LINES })
  if (changes === undefined) return undefined
  const hunks: Hunk[] = []
  let at = 0
  let open: { start: number; end: number; lines: string[] } | undefined
  for (const { added, removed, value } of changes) {
    if (!added && !removed) {
      at += value.length
      open = undefined
      continue
    }
    if (open === undefined) {
      open = { start: at, end: at, lines: [] }
      hunks.push(open)
    }
    if (added) {
      open.lines.push(...value)
    } else {
      at += value.length
      open.end = at
    }
  }
  return hunks
}

/** The text with the hunks in place. They must not touch the same lines. */
export function applyHunks(text: string, hunks: readonly Hunk[]): string {
  const lines = toLines(text)
  const result: string[] = []
  let done = 0
  for (const hunk of hunks.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    result.push(...lines.slice(done, hunk.start), ...hunk.lines)
    done = hunk.end
  }
  return [...result, ...lines.slice(done)].join('')
}

/** True when both change the same line, or both insert at the same position. */
export function conflict(a: Hunk, b: Hunk): boolean {
  return (a.start < b.end && b.start < a.end) || a.start === b.start
}

/** True when both make the same change. */
export function sameHunk(a: Hunk, b: Hunk): boolean {
  return a.start === b.start && a.end === b.end && a.lines.join('') === b.lines.join('')
}

function toLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}
