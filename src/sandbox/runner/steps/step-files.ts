import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LoreleyError } from '../../../errors.ts'

const KINDS = ['output', 'env', 'path', 'state', 'step_summary'] as const
type Kind = (typeof KINDS)[number]

/** The files that a step's process may write, such as `GITHUB_OUTPUT`. */
export class StepFiles {
  readonly #folder: string
  readonly #id = randomUUID()

  constructor(folder: string) {
    this.#folder = folder
  }

  get variables(): Record<string, string> {
    return Object.fromEntries(KINDS.map((kind) => [`GITHUB_${kind.toUpperCase()}`, this.#file(kind)]))
  }

  async create(): Promise<void> {
    for (const kind of KINDS) await writeFile(this.#file(kind), '', { mode: 0o600 })
  }

  /** Reads and removes the files. A missing file reads as empty. */
  async take(): Promise<Readonly<Record<Kind, string>>> {
    const [output, env, path, state, summary] = await Promise.all(KINDS.map((kind) => this.#takeOne(kind)))
    return {
      output: output ?? '',
      env: env ?? '',
      path: path ?? '',
      state: state ?? '',
      step_summary: summary ?? '',
    }
  }

  async #takeOne(kind: Kind): Promise<string> {
    try {
      return (await readFile(this.#file(kind), 'utf8')).replace(/^\uFEFF/, '')
    } catch {
      return ''
    } finally {
      await rm(this.#file(kind), { recursive: true, force: true })
    }
  }

  #file(kind: Kind): string {
    return join(this.#folder, `${kind}_${this.#id}`)
  }
}

/** Parses GITHUB_OUTPUT, GITHUB_ENV or GITHUB_STATE: `name=value` lines, or `name<<END` to `END`. */
export function readEnvFile(text: string): Map<string, string> {
  const found = new Map<string, string>()
  const lines = text.split(/\r?\n/)
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line === '') continue
    const equals = line.indexOf('=')
    const heredoc = line.indexOf('<<')
    if (heredoc >= 0 && (equals < 0 || heredoc < equals)) {
      const end = findEnd(lines, at, line.slice(heredoc + 2))
      found.set(line.slice(0, heredoc), lines.slice(at + 1, end).join('\n'))
      at = end
    } else if (equals > 0) {
      found.set(line.slice(0, equals), line.slice(equals + 1))
    } else {
      throw unreadable(`Invalid format '${line.slice(0, 200)}'`)
    }
  }
  return found
}

function findEnd(lines: readonly string[], start: number, delimiter: string): number {
  if (delimiter === '') throw unreadable('Invalid value. No delimiter after <<')
  const end = lines.indexOf(delimiter, start + 1)
  if (end < 0) throw unreadable(`Invalid value. Matching delimiter not found '${delimiter}'`)
  return end
}

function unreadable(message: string): LoreleyError {
  const hint = 'Write name=value lines, or name<<END, the lines, END.'
  return new LoreleyError('workflow-invalid', message, hint)
}
