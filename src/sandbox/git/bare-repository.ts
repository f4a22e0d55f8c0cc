import { ObjectStore } from '../../git/objects.ts'
import { type RefChange, type RefOutcome, RefWriter } from '../../git/refs.ts'
import type { Repository } from '../../git/repository.ts'
import { type ResolvedObject, Resolver } from '../../git/resolver.ts'

/** A repository of the box with the git processes that serve it. */
export class BareRepository {
  readonly repository: Repository
  readonly objects: ObjectStore
  readonly #resolver: Resolver
  readonly #refs: RefWriter
  #queue: Promise<unknown> = Promise.resolve()

  constructor(repository: Repository) {
    this.repository = repository
    this.objects = new ObjectStore(repository)
    this.#resolver = new Resolver(repository)
    this.#refs = new RefWriter(repository)
  }

  /** What a revision stands for. */
  async find(revision: string): Promise<ResolvedObject | undefined> {
    return await this.#resolver.find(revision)
  }

  /** The commit of a branch, tag, full or abbreviated id, in this order; as the API's `ref` parameters take it. */
  async findCommit(name: string): Promise<string | undefined> {
    const candidates = name.startsWith('refs/')
      ? [name]
      : [
          `refs/heads/${name}`,
          `refs/tags/${name}`,
          `refs/${name}`,
          ...(/^[0-9a-f]{4,64}$/.test(name) ? [name] : []),
        ]
    for (const candidate of name === 'HEAD' ? ['HEAD'] : candidates) {
      const found = await this.find(`${candidate}^{commit}`)
      if (found !== undefined) return found.id
    }
    return undefined
  }

  /** Runs one piece of work on the refs at a time, so that reading, checking and writing them is one step. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work)
    this.#queue = turn.then(
      () => undefined,
      () => undefined,
    )
    return await turn
  }

  async applyRefs(changes: readonly RefChange[]): Promise<RefOutcome> {
    return await this.#refs.apply(changes)
  }

  async close(): Promise<void> {
    await this.#queue
    await Promise.all([this.objects.close(), this.#resolver.close(), this.#refs.close()])
  }
}
