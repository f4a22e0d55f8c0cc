import { type AnswerReader, Coprocess, readLine } from './coprocess.ts'
import type { Repository } from './repository.ts'

export interface ResolvedObject {
  readonly id: string
  readonly type: string
  readonly size: number
}

/** Resolves revisions (`refs/heads/main`, `<id>^{tree}`, `<id>:path`) without starting git each time. */
export class Resolver {
  readonly #process: Coprocess

  constructor(repository: Repository) {
    this.#process = new Coprocess(repository, ['cat-file', '--batch-check'])
  }

  /** The object, or undefined when there is none or the name is ambiguous. */
  async find(revision: string): Promise<ResolvedObject | undefined> {
    // A line feed would be a second question; an empty name asks nothing.
    if (revision === '' || /[\n\0]/.test(revision)) return undefined
    return await this.#process.ask(`${revision}\n`, readAnswer)
  }

  async close(): Promise<void> {
    await this.#process.close()
  }
}

const readAnswer: AnswerReader<ResolvedObject | undefined> = (buffered) => {
  const line = readLine(buffered)
  if ('needs' in line) return line
  const found = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(line.answer)
  const [, id, type, size] = found ?? []
  const answer = id === undefined || type === undefined ? undefined : { id, type, size: Number(size) }
  return { answer, length: line.length }
}
