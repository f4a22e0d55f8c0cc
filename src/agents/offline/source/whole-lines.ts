import type { Span } from './source.ts'

/** The lines that a span fills; undefined if they hold more than blanks, `;` and a comment beside it. */
export function wholeLines(text: string, span: Span): Span | undefined {
  const start = text.lastIndexOf('\n', span.start - 1) + 1
  const end = lineEnd(text, span.end)
  const before = text.slice(start, span.start).trim()
  const after = text.slice(span.end, end).trim()
  return before === '' && /^;?\s*((\/\/|#).*)?$/.test(after) ? { start, end } : undefined
}

/** The end of the line that holds `index`, without its line break. */
function lineEnd(text: string, index: number): number {
  const next = text.indexOf('\n', index)
  if (next === -1) return text.length
  return next > index && text[next - 1] === '\r' ? next - 1 : next
}

/** The first line break in a text; a line feed if it has none. */
export function lineBreakOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n'
}

/** Lines with the line break after them, or the one before them at the end of the text. */
export function withLineBreak(text: string, lines: Span): Span {
  const after = /^\r?\n/.exec(text.slice(lines.end, lines.end + 2))?.[0].length ?? 0
  if (after > 0) return { start: lines.start, end: lines.end + after }
  const before = /\r?\n$/.exec(text.slice(Math.max(0, lines.start - 2), lines.start))?.[0].length ?? 0
  return { start: lines.start - before, end: lines.end }
}
