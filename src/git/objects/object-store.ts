import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LoreleyError } from '../../errors.ts'
import { type AnswerReader, Coprocess, readLine } from '../coprocess.ts'
import type { Repository } from '../repository.ts'

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag'

export interface GitObject {
  readonly type: string
  readonly content: Buffer
}

/** An object that should be there is not. It is never the fault of an agent or a candidate. */
export class MissingObjectError extends LoreleyError {
  constructor(type: ObjectType, id: string) {
    super(
      'git-failed',
      `The repository has no ${type} ${id}.`,
      'If `git gc --prune=now` or `git prune` ran meanwhile, it removed work that was not published yet: run the command again, and it resumes. A shallow or partial clone may lack objects: fetch them. `git fsck` lists what is missing.',
    )
  }
}

const RECENT_OBJECTS = 200
const RECENT_BYTES = 64 * 1024

/**
 * Reads and writes the repository's objects through git processes that stay open. Git itself writes every object, so its
 * own rules (format, permissions, alternates) hold; we only save its start-up time.
 */
export class ObjectStore {
  readonly #reader: Coprocess
  readonly #measurer: Coprocess
  readonly #writers: Readonly<Record<ObjectType, Coprocess>>
  readonly #commonDir: string
  /** Recent trees and commits, oldest first. Objects never change, so this is never stale. */
  readonly #recent = new Map<string, Buffer>()

  constructor(repository: Repository) {
    this.#commonDir = repository.commonDir
    const writer = (type: ObjectType): Coprocess =>
      new Coprocess(repository, ['hash-object', '-w', '--no-filters', '-t', type, '--stdin-paths'])
    this.#reader = new Coprocess(repository, ['cat-file', '--batch'])
    this.#measurer = new Coprocess(repository, ['cat-file', '--batch-check'])
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
    const recent = this.#recent.get(`${type} ${id}`)
    if (recent !== undefined) return recent
    const object = await this.find(id)
    if (object?.type === type) {
      this.#remember(type, id, object.content)
      return object.content
    }
    throw new MissingObjectError(type, id)
  }

  /** The id of the object that a full ref name leads to; undefined when there is no such ref or no such object. */
  async findByRef(ref: string): Promise<string | undefined> {
    const [id, type] = (await this.#measurer.ask(`${ref}\n`, readLine)).split(' ')
    return type === 'missing' ? undefined : id
  }

  /** How many bytes the object has, without reading them; undefined when the repository does not have it. */
  async findSize(id: string): Promise<number | undefined> {
    const answer = await this.#measurer.ask(`${id}\n`, readLine)
    const [, , size] = answer.split(' ')
    return size === undefined ? undefined : Number(size)
  }

  /** Throws when an object is not in the repository now, whatever was read or written before. */
  async assertStored(type: ObjectType, id: string): Promise<void> {
    if ((await this.findSize(id)) === undefined) throw new MissingObjectError(type, id)
  }

  /** Stores an object and returns its id. */
  async write(type: ObjectType, content: string | Uint8Array): Promise<string> {
    // Named as git names its own temporary files: if we are killed here, `git gc` removes it.
    const file = `objects/tmp_loreley_${randomUUID()}`
    // Synchronous: handing a small file to a thread costs more than writing it.
    writeFileSync(join(this.#commonDir, file), content)
    try {
      const id = await this.#writers[type].ask(`${file}\n`, readLine)
      this.#remember(type, id, Buffer.from(content))
      return id
    } finally {
      rmSync(join(this.#commonDir, file), { force: true })
    }
  }

  // A tick reads the few trees on the way to its documents repeatedly, but blobs only once.
  #remember(type: ObjectType, id: string, content: Buffer): void {
    if (type === 'blob' || content.length > RECENT_BYTES) return
    this.#recent.set(`${type} ${id}`, content)
    const [oldest] = this.#recent.keys()
    if (this.#recent.size > RECENT_OBJECTS && oldest !== undefined) this.#recent.delete(oldest)
  }

  async close(): Promise<void> {
    await Promise.all(
      [this.#reader, this.#measurer, ...Object.values(this.#writers)].map((process) => process.close()),
    )
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
