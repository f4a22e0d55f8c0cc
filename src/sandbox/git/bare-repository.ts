import { diffFiles, type FileDiff } from '../../git/diffs.ts'
import { ObjectStore } from '../../git/objects/object-store.ts'
import { type RefChange, type RefOutcome, RefWriter } from '../../git/refs.ts'
import type { Repository } from '../../git/repository.ts'
import { type ResolvedObject, Resolver } from '../../git/resolver.ts'

// Enough for repeated requests. Large diffs are computed again each time.
const RECENT_DIFFS = 50
const RECENT_DIFF_CHARS = 20_000

/** A repository with the git processes that serve it. */
export class BareRepository {
  readonly repository: Repository
  readonly objects: ObjectStore
  readonly #resolver: Resolver
  readonly #refs: RefWriter
  /** Diffs between full ids never change. Oldest first. */
  readonly #diffs = new Map<string, readonly FileDiff[]>()
  #queue: Promise<unknown> = Promise.resolve()

  constructor(repository: Repository) {
    this.repository = repository
    this.objects = new ObjectStore(repository)
    this.#resolver = new Resolver(repository)
    this.#refs = new RefWriter(repository)
  }

  /** The object that a revision names. */
  async find(revision: string): Promise<ResolvedObject | undefined> {
    return await this.#resolver.find(revision)
  }

  /** The commit of an API `ref` parameter: a branch, tag, full ref or (abbreviated) id, tried in this order. */
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

  /** The files that differ between two commits or trees with full ids. */
  async diff(from: string, to: string): Promise<readonly FileDiff[]> {
    const key = `${from} ${to}`
    const recent = this.#diffs.get(key)
    if (recent !== undefined) return recent
    const files = await diffFiles(this.repository, from, to)
    const chars = files.reduce((sum, file) => sum + (file.patch?.length ?? 0), files.length * 200)
    if (chars <= RECENT_DIFF_CHARS) this.#diffs.set(key, files)
    const [oldest] = this.#diffs.keys()
    if (this.#diffs.size > RECENT_DIFFS && oldest !== undefined) this.#diffs.delete(oldest)
    return files
  }

  /** Runs one task on the refs at a time, so that reading, checking and writing them is atomic. */
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
