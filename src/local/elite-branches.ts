import type { RefWriter } from '../git/refs.ts'
import { listCheckedOut } from '../git/refs.ts'
import { listRefs, type Repository } from '../git/repository.ts'
import { type EliteState, findEliteChanges } from '../store/elite-changes.ts'
import { allEliteRefs, type EliteNamespace, eliteRefs } from '../store/layout.ts'

/** Which campaign's elites are published, and where. */
export interface EliteOrder {
  readonly campaign: string
  readonly place: EliteNamespace
}

/** Keeps one branch an elite: what archive.json says, as refs. */
export class EliteBranches {
  readonly #repository: Repository
  readonly #refs: RefWriter
  readonly #order: EliteOrder

  constructor(repository: Repository, refs: RefWriter, order: EliteOrder) {
    this.#repository = repository
    this.#refs = refs
    this.#order = order
  }

  /** Makes the branches match the archive; gives the refs that could not be written, with the reason. */
  async reconcile(state: EliteState): Promise<ReadonlyMap<string, string>> {
    const { campaign, place } = this.#order
    const published = await listElites(this.#repository, campaign)
    const changes = findEliteChanges(state, place, published)
    if (changes.length === 0) return new Map()
    const inUse = await listCheckedOut(this.#repository, eliteRefs(campaign, 'branches'))
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

/** Where a campaign's elites stand, in whatever place, by ref. */
export async function listElites(
  repository: Repository,
  campaign: string,
): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(allEliteRefs(campaign).map((prefix) => listRefs(repository, prefix)))
  return new Map(found.flatMap((refs) => [...refs]))
}
