import type { RefChange } from '../../git/refs.ts'
import { allEliteRefs, type EliteNamespace, keepRefs } from '../../store/layout.ts'
import { findEliteChanges, findKeeps, listKeeps } from '../../store/state-refs.ts'
import type { Change, Revision, UnpublishedRef } from '../../store/state-store.ts'
import type { Outcome } from '../api/api-client.ts'
import type { RefUpdates } from '../git/ref-updates.ts'

/** The refs that one state commit calls for. */
export interface CalledRefs {
  /** They hold candidates that the state mentions for the first time. */
  readonly keeps: readonly RefChange[]
  /** They make the elite refs match the archive. */
  readonly elites: readonly RefChange[]
  /** Refused before, for the same commit: not asked for again. */
  readonly unpublished: readonly UnpublishedRef[]
}

const DETAIL_KEPT = 300

/** Knows which elite refs stand on GitHub, and which it would not take. */
export class ArchiveRefs {
  readonly #refs: RefUpdates
  /** By campaign: a few, each with its elites in whatever place. */
  readonly #published = new Map<string, Map<string, string>>()
  /** By ref and commit: another commit may be taken. */
  readonly #refused = new Map<string, UnpublishedRef>()
  /** By campaign: keep refs that went with a state which was not published. */
  readonly #doubted = new Map<string, Set<string>>()

  constructor(refs: RefUpdates) {
    this.#refs = refs
  }

  /** What to move along with a state commit. Asks GitHub once per campaign which elites stand. */
  async callFor(base: Revision | undefined, change: Change, place: EliteNamespace): Promise<CalledRefs> {
    const { id } = change.state.campaign
    const published = this.#published.get(id) ?? (await this.#list(id))
    this.#published.set(id, published)
    const wanted = findEliteChanges(change.state, place, published)
    const owed = findOwed(change)
    const known = [...owed, ...wanted].flatMap((each) => this.#refused.get(keyOf(each)) ?? [])
    const isOpen = (each: RefChange): boolean => !this.#refused.has(keyOf(each))
    // Where an elite ref stands is no secret and no lock: the archive says where it belongs.
    const elites = wanted.filter(isOpen).map((each) => ({ ...each, from: 'any' }))
    const keeps = [...owed.filter(isOpen), ...this.#findDoubted(change), ...findKeeps(base, change)]
    return { keeps: [...new Map(keeps.map((each) => [each.ref, each])).values()], elites, unpublished: known }
  }

  /** Takes in that keep refs may move though their state does not: the commit of whoever was faster is then held by nothing. */
  doubt(campaign: string, keeps: readonly RefChange[]): void {
    const doubted = this.#doubted.get(campaign) ?? new Set()
    for (const { ref } of keeps) doubted.add(ref)
    this.#doubted.set(campaign, doubted)
  }

  /** Takes in that all keep refs which a campaign called for stand. */
  trust(campaign: string): void {
    this.#doubted.delete(campaign)
  }

  // Those that the state does not mention yet are called for when it does.
  #findDoubted({ state }: Change): RefChange[] {
    const { id } = state.campaign
    const doubted = this.#doubted.get(id)
    if (doubted === undefined) return []
    return listKeeps(state).filter(({ ref }) => doubted.has(ref))
  }

  async #list(campaign: string): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    for (const prefix of allEliteRefs(campaign)) {
      for (const [ref, commit] of await this.#refs.list(prefix)) found.set(ref, commit)
    }
    return found
  }

  /** Takes in that elite refs have moved. */
  notePublished(elites: readonly RefChange[]): void {
    for (const { ref, to } of elites) {
      for (const [campaign, published] of this.#published) {
        if (!allEliteRefs(campaign).some((prefix) => ref.startsWith(prefix))) continue
        if (to === undefined) published.delete(ref)
        else published.set(ref, to)
      }
    }
  }

  /** Forgets what stands and what was refused: somebody else moved refs, or the reason may be gone. */
  forget(): void {
    this.#published.clear()
    this.#refused.clear()
  }

  /** Moves refs one by one; gives those that GitHub did not take. */
  async publishEach(changes: readonly RefChange[]): Promise<UnpublishedRef[]> {
    const unpublished: UnpublishedRef[] = []
    for (const change of changes) {
      const { ref, to } = change
      const outcome = to === undefined ? await this.#refs.remove(ref) : await this.#refs.set(ref, to)
      if (outcome.status === 'done') this.notePublished([change])
      else {
        const detail = outcome.message.slice(0, DETAIL_KEPT)
        const refusal = { ref, commit: to, reason: reasonOf(outcome), detail }
        this.#refused.set(keyOf(change), refusal)
        unpublished.push(refusal)
      }
    }
    return unpublished
  }
}

// GitHub answers 403 or 404 to an App that brings workflow files which the default branch does not have (any more).
function reasonOf(outcome: Outcome<unknown>): UnpublishedRef['reason'] {
  return outcome.status === 'refused' && [403, 404].includes(outcome.http) ? 'workflows-diverged' : 'refused'
}

function keyOf({ ref, to }: RefChange): string {
  return `${ref} ${to}`
}

/** Kept commits that were refused before: nothing else holds them on GitHub. */
function findOwed({ state }: Change): RefChange[] {
  const { id, control } = state.campaign
  return (control.unpublished ?? []).flatMap(({ ref, commit }) =>
    commit !== undefined && ref.startsWith(keepRefs(id)) ? [{ ref, to: commit, from: 'any' }] : [],
  )
}
