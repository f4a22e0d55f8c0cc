import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { LoreleyError } from '../../errors.ts'

/** One change of a table. Without `value` the row is deleted. */
export interface JournalLine {
  readonly table: string
  readonly key: string
  readonly value?: unknown
}

const HEADER = { format: 'github-in-a-box', version: 1 }
const COMPACT_AFTER_BYTES = 32 * 1024 * 1024
const PIECE_CHARS = 1024 * 1024

/**
 * The state on disk: an append-only file of changes, compacted when most of it is out of date. Appends are
 * synchronous, so that a change is on disk before a client hears of it.
 */
export class Journal {
  readonly #file: string
  #bytes = 0
  #compactBytes = 0

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true })
    this.#file = join(folder, 'state.jsonl')
  }

  /** All changes so far, oldest first. Skips a last line that a crash cut off. */
  load(): JournalLine[] {
    if (!existsSync(this.#file)) return []
    const text = readFileSync(this.#file, 'utf8')
    this.#bytes = statSync(this.#file).size
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    const [header, ...lines] = whole.split('\n').filter(Boolean)
    if (header !== JSON.stringify(HEADER)) throw stateCorrupt(this.#file)
    return lines.map((line) => parseLine(line, this.#file))
  }

  append(line: JournalLine): void {
    const text = `${JSON.stringify(line)}\n`
    appendFileSync(this.#file, text)
    this.#bytes += text.length
  }

  /** True when most of the file is out of date. The threshold grows with the state. */
  isFull(): boolean {
    return this.#bytes > Math.max(COMPACT_AFTER_BYTES, 2 * this.#compactBytes)
  }

  /** Rewrites the file with only these lines, in pieces to save memory. */
  rewrite(lines: Iterable<JournalLine>): void {
    const file = openSync(`${this.#file}.new`, 'w')
    let piece = `${JSON.stringify(HEADER)}\n`
    let bytes = 0
    const flush = (): void => {
      bytes += writeSync(file, piece)
      piece = ''
    }
    for (const line of lines) {
      piece += `${JSON.stringify(line)}\n`
      if (piece.length > PIECE_CHARS) flush()
    }
    flush()
    closeSync(file)
    renameSync(`${this.#file}.new`, this.#file)
    this.#bytes = bytes
    this.#compactBytes = bytes
  }
}

function parseLine(text: string, file: string): JournalLine {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null) throw stateCorrupt(file)
  return value as JournalLine
}

function stateCorrupt(file: string): LoreleyError {
  return new LoreleyError(
    'state-corrupt',
    `${file} is not a state file of the sandbox.`,
    'Start the sandbox with another folder, or remove this one.',
  )
}
