import { CommanderError } from 'commander'
import pc from 'picocolors'
import { LoreleyError } from '../../errors.ts'

/** Exit codes: 0 well, 1 a fault, 2 the caller's words or config are wrong, 130 interrupted. */
const CALLER_CODES: readonly string[] = [
  'config-invalid',
  'config-missing',
  'usage',
  'campaign-unknown',
  'candidate-unknown',
]

/** Says what went wrong and what to do about it; gives the exit code. */
export function reportFault(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  // Ctrl-C before the campaign was under way. By name: a timer's AbortError is no DOMException.
  if (error instanceof Error && error.name === 'AbortError') return 130
  if (error instanceof LoreleyError) {
    console.error(
      `${pc.red('error')} ${error.message}\n${pc.dim('hint')}  ${error.hint} ${pc.dim(`[${error.code}]`)}`,
    )
    return CALLER_CODES.includes(error.code) ? 2 : 1
  }
  console.error(
    `${pc.red('error')} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  )
  console.error(
    `${pc.dim('hint')}  This is a bug in Loreley. Nothing of your repository was changed but refs under loreley/.`,
  )
  return 1
}
