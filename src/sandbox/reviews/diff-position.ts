import type { FileDiff } from '../../git/diffs.ts'
import { type ApiError, validationFailed } from '../http/errors.ts'
import type { Fields } from '../http/fields.ts'
import type { Spot } from './reviews.ts'

/** Reads where a comment belongs: by line and side, by position, or on the whole file. */
export function readSpot(files: readonly FileDiff[], body: Fields): Spot {
  const path = body.text('path')
  const file = files.find((one) => one.path === path)
  if (file === undefined) throw outside('path')
  const side = readSide(body, 'side') ?? 'RIGHT'
  const nowhere = { path, side, line: null, startLine: null, startSide: null }
  if (body.findText('subject_type') === 'file') return { ...nowhere, position: 1, hunk: file.patch ?? '' }
  const lines = readDiffLines(file.patch ?? '')
  const position = body.findNumber('position')
  const found =
    position === undefined
      ? findLine(lines, side, body.findNumber('line'))
      : lines.find((line) => line.position === position)
  if (found === undefined) throw outside(position === undefined ? 'line' : 'position')
  const isLeft = position === undefined ? side === 'LEFT' : found.right === null
  return {
    path,
    side: isLeft ? 'LEFT' : 'RIGHT',
    line: isLeft ? found.left : found.right,
    ...readStart(lines, body, found),
    position: found.position,
    hunk: found.hunk,
  }
}

function readStart(
  lines: readonly DiffLine[],
  body: Fields,
  end: DiffLine,
): Pick<Spot, 'startLine' | 'startSide'> {
  const startLine = body.findNumber('start_line')
  if (startLine === undefined) return { startLine: null, startSide: null }
  const startSide = readSide(body, 'start_side') ?? readSide(body, 'side') ?? 'RIGHT'
  const start = findLine(lines, startSide, startLine)
  if (start === undefined || start.position >= end.position) throw outside('start_line')
  return { startLine, startSide }
}

function findLine(
  lines: readonly DiffLine[],
  side: 'LEFT' | 'RIGHT',
  number: number | undefined,
): DiffLine | undefined {
  if (number === undefined) return undefined
  return lines.find((line) => (side === 'LEFT' ? line.left : line.right) === number)
}

function readSide(body: Fields, name: string): 'LEFT' | 'RIGHT' | undefined {
  const given = body.findText(name)
  return given === 'LEFT' || given === 'RIGHT' ? given : undefined
}

function outside(field: string): ApiError {
  const message = `pull_request_review_thread.${field} must be part of the diff`
  return validationFailed({ resource: 'PullRequestReviewComment', field, code: 'custom', message })
}

/** A line of a file's diff that a comment can refer to. */
interface DiffLine {
  /** Lines below the first `@@`. */
  readonly position: number
  /** Its line number in the old and new file, or null. */
  readonly left: number | null
  readonly right: number | null
  /** The diff from its `@@` to this line. */
  readonly hunk: string
}

/** The lines of a patch. The first `@@` is position 0. */
function readDiffLines(patch: string): DiffLine[] {
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
