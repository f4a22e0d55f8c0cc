import { cleanText } from '../core/clean-text.ts'
import { redactSecrets } from '../core/secrets.ts'
import { CappedOutput } from '../process/capped-output.ts'

const MAX_BYTES = 64 * 1024
const MAX_ENTRY_CHARACTERS = 8000

/**
 * What was said between an agent and its model, as Markdown. Bounded: of a long one the beginning and the end
 * are kept. Secrets are taken out before anything is stored.
 */
export class Transcript {
  readonly #secrets: readonly string[]
  readonly #output: CappedOutput
  #isEmpty = true

  constructor(secrets: readonly string[] = [], maxBytes = MAX_BYTES) {
    this.#secrets = secrets
    this.#output = new CappedOutput(maxBytes)
  }

  add(heading: string, text: string): void {
    // Redacted before it is cut: half a key would not be recognised.
    const body = cleanText(redactSecrets(text, this.#secrets), MAX_ENTRY_CHARACTERS)
    this.#output.add(Buffer.from(`## ${cleanText(heading, 200)}\n\n${body}\n\n`))
    this.#isEmpty = false
  }

  /** Undefined when nothing was said. */
  text(): string | undefined {
    return this.#isEmpty ? undefined : this.#output.text()
  }
}
