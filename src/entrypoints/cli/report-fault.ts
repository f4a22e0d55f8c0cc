import { CommanderError } from 'commander'
import pc from 'picocolors'
import { escapeHidden } from '../../core/hidden-characters.ts'
import { LoreleyError } from '../../errors.ts'

/** Exit codes: 0 success, 1 fault, 2 wrong usage or config, 130 interrupted. */
const CALLER_CODES: readonly string[] = [
  'config-invalid',
  'config-missing',
  'usage',
  'campaign-unknown',
  'candidate-unknown',
]

/** Prints what went wrong and what to do about it; returns the exit code. */
export function reportFault(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  // Ctrl-C before the campaign started. Checked by name: a timer's AbortError is not a DOMException.
  if (error instanceof Error && error.name === 'AbortError') return 130
  if (error instanceof LoreleyError) {
    console.error(
      `${pc.red('error')} ${escapeHidden(error.message)}\n${pc.dim('hint')}  ${escapeHidden(error.hint)} ${pc.dim(`[${error.code}]`)}`,
    )
    return CALLER_CODES.includes(error.code) ? 2 : 1
  }
  console.error(
    `${pc.red('error')} ${escapeHidden(error instanceof Error ? (error.stack ?? error.message) : String(error))}`,
  )
  console.error(
    `${pc.dim('hint')}  This is a bug in Loreley. It changed nothing in your repository except refs under loreley/.`,
  )
  return 1
}
