import { allEliteRefs, type EliteNamespace, keepRefs } from '../../store/layout.ts'
import type { RefChange } from '../../store/state-refs.ts'
import { findEliteChanges, findKeeps, listKeeps } from '../../store/state-refs.ts'
import type { Change, Revision, UnpublishedRef } from '../../store/state-store.ts'
import type { Outcome } from '../api/api-client.ts'
import type { RefUpdates } from '../git/ref-updates.ts'

/** The refs that one state commit needs. */
export interface CalledRefs {
  /** Hold candidates that the state mentions for the first time. */
  readonly keeps: readonly RefChange[]
  /** Make the elite refs match the archive. */
  readonly elites: readonly RefChange[]
  /** Refused earlier for the same commit: not requested again. */
  readonly unpublished: readonly UnpublishedRef[]
}

const DETAIL_KEPT = 300

/** Tracks which elite refs exist on GitHub, and which GitHub refused. */
export class ArchiveRefs {
  readonly #refs: RefUpdates
  /** By campaign, in either namespace. */
  readonly #published = new Map<string, Map<string, string>>()
  /** By ref and commit: another commit may be accepted. */
  readonly #refused = new Map<string, UnpublishedRef>()
  /** By campaign: keep refs of states that were not published. */
  readonly #doubted = new Map<string, Set<string>>()

  constructor(refs: RefUpdates) {
    this.#refs = refs
  }

  /** What to move with a state commit. Lists the existing elites once per campaign. */
  async callFor(base: Revision | undefined, change: Change, namespace: EliteNamespace): Promise<CalledRefs> {
    const { id } = change.state.campaign
    const published = this.#published.get(id) ?? (await this.#list(id))
    this.#published.set(id, published)
    const wanted = findEliteChanges(change.state, namespace, published)
    const owed = findOwed(change)
    const known = [...owed, ...wanted].flatMap((each) => this.#refused.get(keyOf(each)) ?? [])
    const isOpen = (each: RefChange): boolean => !this.#refused.has(keyOf(each))
    // Elite refs are no lock: the archive decides where they belong.
    const elites = wanted.filter(isOpen).map((each) => ({ ...each, from: 'any' }))
    const keeps = [...owed.filter(isOpen), ...this.#findDoubted(change), ...findKeeps(base, change)]
    return { keeps: [...new Map(keeps.map((each) => [each.ref, each])).values()], elites, unpublished: known }
  }

  /** Notes that keep refs may move although their state does not, which leaves the winner's commit without a ref. */
  doubt(campaign: string, keeps: readonly RefChange[]): void {
    const doubted = this.#doubted.get(campaign) ?? new Set()
    for (const { ref } of keeps) doubted.add(ref)
    this.#doubted.set(campaign, doubted)
  }

  /** Notes that all keep refs of a campaign are in place. */
  trust(campaign: string): void {
    this.#doubted.delete(campaign)
  }

  // Refs that the state does not mention yet are requested once it does.
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

  /** Notes that elite refs have moved. */
  notePublished(elites: readonly RefChange[]): void {
    for (const { ref, to } of elites) {
      for (const [campaign, published] of this.#published) {
        if (!allEliteRefs(campaign).some((prefix) => ref.startsWith(prefix))) continue
        if (to === undefined) published.delete(ref)
        else published.set(ref, to)
      }
    }
  }

  /** Forgets existing and refused refs: somebody else moved refs, or the cause may be gone. */
  forget(): void {
    this.#published.clear()
    this.#refused.clear()
  }

  /** Moves refs one by one; returns those that GitHub refused. */
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

// GitHub answers 403 or 404 to an App that pushes workflow files missing from the default branch.
function reasonOf(outcome: Outcome<unknown>): UnpublishedRef['reason'] {
  return outcome.status === 'refused' && [403, 404].includes(outcome.http) ? 'workflows-diverged' : 'refused'
}

function keyOf({ ref, to }: RefChange): string {
  return `${ref} ${to}`
}

/** Keep refs that were refused earlier: nothing else holds these commits on GitHub. */
function findOwed({ state }: Change): RefChange[] {
  const { id, control } = state.campaign
  return (control.unpublished ?? []).flatMap(({ ref, commit }) =>
    commit !== undefined && ref.startsWith(keepRefs(id)) ? [{ ref, to: commit, from: 'any' }] : [],
  )
}
