import type { CommentStyle } from './languages.ts'

const COMMENT_LINE: Readonly<Record<CommentStyle, RegExp | undefined>> = {
  slash: /^\s*\/\//,
  // A shebang says which language follows; it is no comment.
  hash: /^\s*#(?!!)/,
  dash: /^\s*--/,
  none: undefined,
}

/**
 * A file's text without what does not change what it does: comments that stand on lines of their own,
 * trailing blanks, runs of more than two empty lines. Comments are told by the file's language, so that
 * `#include` lines survive; those behind code stay, because only a parser can tell them from strings.
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

// Only comments that begin a line: `/*` behind code may be part of a string, such as a path pattern.
function dropBlockComments(lines: readonly string[]): string[] {
  const kept: string[] = []
  let inside = false
  for (const line of lines) {
    if (!inside && !/^\s*\/\*/.test(line)) {
      kept.push(line)
      continue
    }
    const end = line.indexOf('*/', inside ? 0 : line.indexOf('/*') + 2)
    inside = end < 0
    const rest = inside ? '' : line.slice(end + 2)
    if (rest.trim() !== '') kept.push(rest)
  }
  return kept
}
