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

/** One change of a table: without `value` the row is gone. */
export interface JournalLine {
  readonly table: string
  readonly key: string
  readonly value?: unknown
}

const HEADER = { format: 'github-in-a-box', version: 1 }
const COMPACT_AFTER_BYTES = 32 * 1024 * 1024
const PIECE_CHARS = 1024 * 1024

/**
 * The box's memory on disk: one file of changes, appended to as they happen and written anew when most of
 * it is out of date. Appending is synchronous: what a client was told is on disk before it was told.
 */
export class Journal {
  readonly #file: string
  #bytes = 0
  #compactBytes = 0

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true })
    this.#file = join(folder, 'state.jsonl')
  }

  /** All changes so far, oldest first. A last line cut off by a crash is left out. */
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

  /** True when most of the file is out of date. A large state is not written anew for every change of it. */
  isFull(): boolean {
    return this.#bytes > Math.max(COMPACT_AFTER_BYTES, 2 * this.#compactBytes)
  }

  /** Writes the file anew with only these lines, in pieces: the whole text would need its size in memory. */
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
