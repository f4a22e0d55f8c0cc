import { StringDecoder } from 'node:string_decoder'

// A line without an end must not eat the memory.
const MAX_LINE_CHARS = 64 * 1024

/** Cuts what streams say into lines. */
export class Lines {
  readonly #decoder = new StringDecoder('utf8')
  readonly #onLine: (line: string) => void
  #rest = ''

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine
  }

  add(chunk: Buffer): void {
    const parts = (this.#rest + this.#decoder.write(chunk)).split('\n')
    this.#rest = parts.pop() ?? ''
    for (const part of parts) this.#onLine(part.replace(/\r$/, ''))
    if (this.#rest.length > MAX_LINE_CHARS) this.end()
  }

  /** The last line may have no end. */
  end(): void {
    if (this.#rest !== '') this.#onLine(this.#rest)
    this.#rest = ''
  }
}
