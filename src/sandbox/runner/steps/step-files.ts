import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const KINDS = ['output', 'env', 'path', 'state', 'step_summary'] as const
type Kind = (typeof KINDS)[number]

/** The files that one process of a step may write to, by `GITHUB_OUTPUT` and the like. */
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

  /** What was written to each; a file that the step removed is empty. */
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
