import { listCheckedOut } from '../git/checked-out.ts'
import type { RefWriter } from '../git/refs.ts'
import { listRefs, type Repository } from '../git/repository.ts'
import { type EliteState, findEliteChanges } from '../store/elite-changes.ts'
import { eliteRefs } from '../store/layout.ts'

/** Keeps one branch an elite: what archive.json says, as refs. */
export class EliteBranches {
  readonly #repository: Repository
  readonly #refs: RefWriter
  readonly #campaign: string

  constructor(repository: Repository, refs: RefWriter, campaign: string) {
    this.#repository = repository
    this.#refs = refs
    this.#campaign = campaign
  }

  /** Makes the branches match the archive; gives the refs that could not be written, with the reason. */
  async reconcile(state: EliteState): Promise<ReadonlyMap<string, string>> {
    const prefix = eliteRefs(this.#campaign)
    const published = await listRefs(this.#repository, prefix)
    const changes = findEliteChanges(state, 'branches', published)
    if (changes.length === 0) return new Map()
    const inUse = await listCheckedOut(this.#repository, prefix)
    const free = changes.filter(({ ref }) => !inUse.has(ref))
    const unpublished = new Map<string, string>(
      changes.flatMap(({ ref }) =>
        inUse.has(ref) ? [[ref, `it is checked out in ${inUse.get(ref)}`] as const] : [],
      ),
    )
    const together = await this.#refs.apply(free)
    if (together.status === 'applied') return unpublished
    // One branch that cannot be written must not hold up the others.
    for (const change of free) {
      const outcome = await this.#refs.apply([{ ...change, from: 'any' }])
      if (outcome.status === 'refused') unpublished.set(change.ref, outcome.detail)
    }
    return unpublished
  }
}
