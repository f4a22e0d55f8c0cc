import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LoreleyError } from '../errors.ts'
import { type AnswerReader, Coprocess, readLine } from './coprocess.ts'
import type { Repository } from './repository.ts'

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag'

export interface GitObject {
  readonly type: string
  readonly content: Buffer
}

/**
 * Reads and writes the repository's objects through git processes that stay open. git itself writes every
 * object, so that its own rules (format, permissions, alternates) hold; we only spare its start-up.
 */
export class ObjectStore {
  readonly #reader: Coprocess
  readonly #writers: Readonly<Record<ObjectType, Coprocess>>
  readonly #commonDir: string

  constructor(repository: Repository) {
    this.#commonDir = repository.commonDir
    const writer = (type: ObjectType): Coprocess =>
      new Coprocess(repository, ['hash-object', '-w', '--no-filters', '-t', type, '--stdin-paths'])
    this.#reader = new Coprocess(repository, ['cat-file', '--batch'])
    this.#writers = {
      blob: writer('blob'),
      tree: writer('tree'),
      commit: writer('commit'),
      tag: writer('tag'),
    }
  }

  /** The object, or undefined when the repository does not have it. */
  async find(id: string): Promise<GitObject | undefined> {
    return await this.#reader.ask(`${id}\n`, readBatchAnswer)
  }

  /** The object; a fault when it is missing or of another type. */
  async get(id: string, type: ObjectType): Promise<Buffer> {
    const object = await this.find(id)
    if (object?.type === type) return object.content
    throw new LoreleyError(
      'git-failed',
      `The repository has no ${type} ${id}.`,
      'Fetch the missing objects (a shallow or partial clone may lack them), or run `git fsck`.',
    )
  }

  /** Stores an object and gives its id. */
  async write(type: ObjectType, content: string | Uint8Array): Promise<string> {
    // Named as git names its own temporary files: if we are killed here, `git gc` removes it.
    const file = `objects/tmp_loreley_${randomUUID()}`
    await writeFile(join(this.#commonDir, file), content)
    try {
      return await this.#writers[type].ask(`${file}\n`, readLine)
    } finally {
      await rm(join(this.#commonDir, file), { force: true })
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#reader, ...Object.values(this.#writers)].map((process) => process.close()))
  }
}

// `<id> <type> <size>\n<content>\n`, or `<id> missing\n`.
const readBatchAnswer: AnswerReader<GitObject | undefined> = (buffered) => {
  const line = readLine(buffered)
  if ('needs' in line) return line
  const [, type, size] = line.answer.split(' ')
  if (type === undefined || size === undefined) return { answer: undefined, length: line.length }
  const end = line.length + Number(size)
  if (buffered.length < end + 1) return { needs: end + 1 }
  return { answer: { type, content: Buffer.from(buffered.subarray(line.length, end)) }, length: end + 1 }
}
