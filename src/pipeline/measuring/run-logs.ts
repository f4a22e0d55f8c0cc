import { cleanText } from '../../core/clean-text.ts'
import { cleanOutput } from '../../core/redact-secrets.ts'
import type { GroupOutcome } from '../../process/run-group.ts'

/** What one command said, for people. */
export interface RunLog {
  readonly name: string
  readonly text: string
}

// Of what went well the end is enough; of what failed a reader wants all that there is room for.
const TAIL_CHARACTERS = 1000
const FAILURE_CHARACTERS = 10_000
const NAME_CHARACTERS = 100
const MAX_LOGS = 20

/**
 * What the commands of one job said: the last run of each, bounded, without escape sequences, secrets and whatever a
 * runner would obey if somebody printed it.
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
    // Escape sequences go first: behind one a line may begin with a command after all.
    const plain = defuse(cleanOutput(said, said.length, this.#secrets))
    this.#logs.delete(name)
    this.#logs.set(name, cleanText(plain, failed ? FAILURE_CHARACTERS : TAIL_CHARACTERS))
  }

  /** The latest logs that say something, in the order in which they ended. */
  list(): readonly RunLog[] {
    const said = [...this.#logs].filter(([, text]) => text !== '')
    return said
      .slice(-MAX_LOGS)
      .map(([name, text]) => ({ name: cleanText(name, NAME_CHARACTERS).replaceAll('\n', ' '), text }))
  }
}

/** Text in which no line is a workflow command, of the kind that begins a line or of the older one anywhere. */
function defuse(text: string): string {
  // Within one line: over line ends the search would begin anew at each of a candidate's million empty lines.
  return text.replaceAll(/^([^\S\n\u2028\u2029]*)::/gm, '$1: :').replaceAll('##[', '## [')
}
