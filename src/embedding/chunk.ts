/** A window of a file that is embedded as one text. */
export interface Chunk {
  readonly text: string
  readonly lines: number
}

const TARGET_LINES = 80
const MIN_LINES = 20
const OVERLAP_LINES = 8
const SEAM = /^(def|class|async def|fn|function|impl|struct|interface|module|export)\b|[:{}]$/

/**
 * Windows of about 80 lines that end where code has a seam, each beginning with the last 8 lines of the one
 * before: for models with a limited input. The whole file is covered.
 */
export function chunkText(text: string): Chunk[] {
  const lines = text.split('\n')
  const chunks: Chunk[] = []
  for (let start = 0; start < lines.length; ) {
    const end = findEnd(lines, start)
    const window = lines.slice(start, end)
    if (window.some((line) => line.trim() !== ''))
      chunks.push({ text: window.join('\n'), lines: window.length })
    start = end >= lines.length ? end : Math.max(end - OVERLAP_LINES, start + 1)
  }
  return chunks
}

function findEnd(lines: readonly string[], start: number): number {
  const roughEnd = Math.min(start + TARGET_LINES, lines.length)
  if (roughEnd === lines.length) return roughEnd
  for (let index = roughEnd - 1; index >= start + MIN_LINES; index--) {
    if (isBoundary(lines[index] ?? '')) return index + 1
  }
  return roughEnd
}

function isBoundary(line: string): boolean {
  const words = line.trim().toLowerCase()
  return words === '' || /^\S/.test(line) || SEAM.test(words)
}
