import type { Archive } from '../core/archive.ts'
import type { RefChange, RefWriter } from '../git/refs.ts'
import { listRefs, type Repository } from '../git/repository.ts'
import { eliteRef, eliteRefs } from '../store/layout.ts'

/** Keeps one branch an elite: what archive.json says, as refs. */
export class EliteBranches {
  readonly #refs: RefWriter
  readonly #campaign: string
  readonly #published: Map<string, string>

  private constructor(refs: RefWriter, campaign: string, published: ReadonlyMap<string, string>) {
    this.#refs = refs
    this.#campaign = campaign
    this.#published = new Map(published)
  }

  static async open(repository: Repository, refs: RefWriter, campaign: string): Promise<EliteBranches> {
    return new EliteBranches(refs, campaign, await listRefs(repository, eliteRefs(campaign)))
  }

  /** Makes the branches match the archive; gives the refs that could not be written, with the reason. */
  async reconcile(archive: Archive): Promise<ReadonlyMap<string, string>> {
    const changes = this.#findChanges(archive)
    const together = await this.#refs.apply(changes)
    if (together.status === 'applied') {
      for (const change of changes) this.#note(change)
      return new Map()
    }
    // One branch that cannot be written (checked out elsewhere, a name in the way) must not hold up the others.
    const unpublished = new Map<string, string>()
    for (const change of changes) {
      const outcome = await this.#refs.apply([{ ...change, from: 'any' }])
      if (outcome.status === 'applied') this.#note(change)
      else unpublished.set(change.ref, outcome.detail)
    }
    return unpublished
  }

  #findChanges(archive: Archive): RefChange[] {
    const wanted = new Map(
      archive.members().map(({ cell, elite }) => [eliteRef(this.#campaign, cell), elite.commit]),
    )
    const set = [...wanted].filter(([ref, commit]) => this.#published.get(ref) !== commit)
    const gone = [...this.#published.keys()].filter((ref) => !wanted.has(ref))
    return [
      ...set.map(([ref, to]) => ({ ref, to, from: this.#published.get(ref) ?? 'absent' })),
      ...gone.map((ref) => ({ ref, to: undefined, from: this.#published.get(ref) ?? 'any' })),
    ]
  }

  #note({ ref, to }: RefChange): void {
    if (to === undefined) this.#published.delete(ref)
    else this.#published.set(ref, to)
  }
}
