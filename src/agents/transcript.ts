import { cleanText } from '../core/clean-text.ts'
import { cleanOutput } from '../core/redact-secrets.ts'
import { CappedOutput } from '../process/capped-output.ts'

const MAX_BYTES = 64 * 1024
const MAX_ENTRY_CHARACTERS = 8000

/**
 * The conversation between an agent and its model, as Markdown. Keeps the start and the end of a long one. Secrets are
 * removed before anything is stored.
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
    const body = cleanOutput(text, MAX_ENTRY_CHARACTERS, this.#secrets)
    this.#output.add(Buffer.from(`## ${cleanText(heading, 200)}\n\n${body}\n\n`))
    this.#isEmpty = false
  }

  /** Undefined when nothing was said. */
  text(): string | undefined {
    return this.#isEmpty ? undefined : this.#output.text()
  }
}
