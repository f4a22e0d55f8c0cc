import type { FileDiff } from '../../git/diffs.ts'
import { type ApiError, validationFailed } from '../http/errors.ts'
import type { Fields } from '../http/fields.ts'
import { type DiffLine, readDiffLines } from './diff-lines.ts'
import type { Spot } from './reviews.ts'

/** Where in the diff a body wants its comment: by line and side, by position, or on the whole file. */
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
