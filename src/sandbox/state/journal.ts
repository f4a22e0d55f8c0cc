import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
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

/**
 * The box's memory on disk: one file of changes, appended to as they happen and written anew when most of
 * it is out of date. Appending is synchronous: what a client was told is on disk before it was told.
 */
export class Journal {
  readonly #file: string
  #bytes = 0

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

  isFull(): boolean {
    return this.#bytes > COMPACT_AFTER_BYTES
  }

  /** Writes the file anew with only these lines. */
  rewrite(lines: readonly JournalLine[]): void {
    const text = [HEADER, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('')
    writeFileSync(`${this.#file}.new`, text)
    renameSync(`${this.#file}.new`, this.#file)
    this.#bytes = text.length
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
