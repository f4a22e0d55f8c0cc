import { LoreleyError } from '../../../errors.ts'

/** Reads what a step wrote to GITHUB_OUTPUT, GITHUB_ENV or GITHUB_STATE: `name=value`, or `name<<END` to `END`. */
export function readEnvFile(text: string): Map<string, string> {
  const found = new Map<string, string>()
  const lines = text.split(/\r?\n/)
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line === '') continue
    const equals = line.indexOf('=')
    const heredoc = line.indexOf('<<')
    if (heredoc >= 0 && (equals < 0 || heredoc < equals)) {
      const end = findEnd(lines, at, line.slice(heredoc + 2))
      found.set(line.slice(0, heredoc), lines.slice(at + 1, end).join('\n'))
      at = end
    } else if (equals > 0) {
      found.set(line.slice(0, equals), line.slice(equals + 1))
    } else {
      throw unreadable(`Invalid format '${line.slice(0, 200)}'`)
    }
  }
  return found
}

function findEnd(lines: readonly string[], start: number, delimiter: string): number {
  if (delimiter === '') throw unreadable('Invalid value. No delimiter after <<')
  const end = lines.indexOf(delimiter, start + 1)
  if (end < 0) throw unreadable(`Invalid value. Matching delimiter not found '${delimiter}'`)
  return end
}

function unreadable(message: string): LoreleyError {
  const hint = 'Write name=value lines, or name<<END, the lines, END.'
  return new LoreleyError('workflow-invalid', message, hint)
}
