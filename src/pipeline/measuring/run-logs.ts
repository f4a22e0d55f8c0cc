import { cleanText } from '../../core/clean-text.ts'
import { cleanOutput } from '../../core/redact-secrets.ts'
import type { GroupOutcome } from '../../process/run-group.ts'

/** The output of one command, for people. */
export interface RunLog {
  readonly name: string
  readonly text: string
}

// The end is enough after a success; after a failure a reader wants as much as fits.
const TAIL_CHARACTERS = 1000
const FAILURE_CHARACTERS = 10_000
const NAME_CHARACTERS = 100
const MAX_LOGS = 20

/**
 * The output of one job's commands: the last run of each, bounded, without escape sequences, secrets and workflow
 * commands.
 */
export class RunLogs {
  readonly #secrets: readonly string[]
  readonly #logs = new Map<string, string>()

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets
  }

  add(name: string, outcome: GroupOutcome): void {
    const failed = outcome.status !== 'exited' || outcome.exitCode !== 0
    const said = `${outcome.stdout}\n${outcome.stderr}`
    // Escape sequences go first: removing one may reveal a command at the start of a line.
    const plain = defuse(cleanOutput(said, said.length, this.#secrets))
    this.#logs.delete(name)
    this.#logs.set(name, cleanText(plain, failed ? FAILURE_CHARACTERS : TAIL_CHARACTERS))
  }

  /** The latest non-empty logs, in the order in which the commands ended. */
  list(): readonly RunLog[] {
    const said = [...this.#logs].filter(([, text]) => text !== '')
    return said
      .slice(-MAX_LOGS)
      .map(([name, text]) => ({ name: cleanText(name, NAME_CHARACTERS).replaceAll('\n', ' '), text }))
  }
}

/** Breaks workflow commands: `::` at the start of a line, and the older `##[` anywhere. */
function defuse(text: string): string {
  // `\s` across line ends would take quadratic time on a million empty lines.
  return text.replaceAll(/^([^\S\n\u2028\u2029]*)::/gm, '$1: :').replaceAll('##[', '## [')
}
