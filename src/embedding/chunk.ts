/** A window of a file that is embedded as one text. */
export interface Chunk {
  readonly text: string
  readonly lines: number
}

const TARGET_LINES = 80
const MIN_LINES = 20
const OVERLAP_LINES = 8
// Models take about 8,000 tokens, and a token is at least a byte.
const MAX_BYTES = 8000
// At most three bytes each.
const MAX_LINE_CHARACTERS = 2000
const SEAM = /^(def|class|async def|fn|function|impl|struct|interface|module|export)\b|[:{}]$/

/**
 * Windows of about 80 lines that end at a boundary of the code, each starting with the last 8 lines of the previous one.
 * They fit models with a limited input. The whole file is covered.
 */
export function chunkText(text: string): Chunk[] {
  const lines = text.split('\n').flatMap(cutLine)
  const chunks: Chunk[] = []
  for (let start = 0; start < lines.length; ) {
    const end = findEnd(lines, start)
    const window = lines.slice(start, end)
    if (window.some((line) => line.trim() !== ''))
      chunks.push({ text: window.join('\n'), lines: window.length })
    // Short windows have wide lines, which would fill most of the next window if repeated.
    start = end >= lines.length || end - start <= MIN_LINES ? end : end - OVERLAP_LINES
  }
  return chunks
}

function cutLine(line: string): string[] {
  return line.length <= MAX_LINE_CHARACTERS
    ? [line]
    : (line.match(new RegExp(`[^]{1,${MAX_LINE_CHARACTERS / 2}}`, 'gu')) ?? [])
}

function findEnd(lines: readonly string[], start: number): number {
  const roughEnd = start + countFitting(lines.slice(start, start + TARGET_LINES))
  if (roughEnd === lines.length) return roughEnd
  for (let index = roughEnd - 1; index >= start + MIN_LINES; index--) {
    if (isBoundary(lines[index] ?? '')) return index + 1
  }
  return roughEnd
}

function countFitting(lines: readonly string[]): number {
  let bytes = 0
  const over = lines.findIndex((line) => {
    bytes += Buffer.byteLength(line) + 1
    return bytes > MAX_BYTES
  })
  return over < 0 ? lines.length : over
}

function isBoundary(line: string): boolean {
  const words = line.trim().toLowerCase()
  return words === '' || /^\S/.test(line) || SEAM.test(words)
}
