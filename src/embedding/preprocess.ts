import type { CommentStyle } from './languages.ts'

const COMMENT_LINE: Readonly<Record<CommentStyle, RegExp | undefined>> = {
  slash: /^\s*\/\//,
  // A shebang names the language. It is not a comment.
  hash: /^\s*#(?!!)/,
  dash: /^\s*--/,
  none: undefined,
}

/**
 * A file's text without the parts that do not affect its behaviour: comments on their own lines, trailing blanks, and
 * runs of more than two empty lines. The language decides what a comment is, so `#include` lines survive. Comments
 * behind code stay, because only a parser can tell them from strings.
 */
export function preprocess(text: string, style: CommentStyle): string {
  const marker = COMMENT_LINE[style]
  const lines = text.replaceAll('\r\n', '\n').replaceAll('\t', '    ').split('\n')
  const code = style === 'slash' ? dropBlockComments(lines) : lines
  const kept = code.filter((line) => marker?.test(line) !== true).map((line) => line.trimEnd())
  return kept
    .join('\n')
    .replaceAll(/\n{4,}/g, '\n\n\n')
    .trim()
}

// Only comments that start a line: `/*` behind code may be part of a string, such as a path pattern. One that never
// ends is kept as text: a string's line that starts with such a pattern must not remove the rest of the file.
function dropBlockComments(lines: readonly string[]): string[] {
  const kept: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const end = /^\s*\/\*/.test(line) ? findCommentEnd(lines, at) : undefined
    if (end === undefined) {
      kept.push(line)
      continue
    }
    at = end.line
    if (end.rest.trim() !== '') kept.push(end.rest)
  }
  return kept
}

function findCommentEnd(lines: readonly string[], start: number): { line: number; rest: string } | undefined {
  for (let at = start; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const end = line.indexOf('*/', at === start ? line.indexOf('/*') + 2 : 0)
    if (end >= 0) return { line: at, rest: line.slice(end + 2) }
  }
  return undefined
}
