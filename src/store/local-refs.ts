import type { ObjectStore } from '../git/objects/object-store.ts'
import { inspectRefs, type RefChange, type RefFacts, type RefOutcome, type RefWriter } from '../git/refs.ts'
import type { Repository } from '../git/repository.ts'
import { allEliteRefs } from './layout.ts'
import { findEliteChanges, findKeeps } from './state-refs.ts'
import type { Change, Revision, UnpublishedRef } from './state-store.ts'

export interface LocalGit {
  readonly repository: Repository
  readonly objects: ObjectStore
  readonly refs: RefWriter
}

/** The refs that move with one state commit. */
interface CalledRefs {
  /** Keep refs of candidates that the state mentions for the first time. */
  readonly keeps: readonly RefChange[]
  /** Changes that make the elite refs match the archive. */
  readonly elites: readonly RefChange[]
  /** Branches that somebody has checked out. */
  readonly unpublished: readonly UnpublishedRef[]
}

type PublishOutcome =
  | { readonly status: 'applied'; readonly unpublished: readonly UnpublishedRef[] }
  | Extract<RefOutcome, { status: 'refused' }>

/** Moves the state branch of a repository on this machine together with the refs that go with it. */
export class LocalRefs {
  readonly #git: LocalGit
  /** Campaigns whose elite refs match the archive, as far as we know. */
  readonly #settled = new Set<string>()

  constructor(git: LocalGit) {
    this.#git = git
  }

  /** Finds the refs to move with a state commit. Elite refs are compared when the archive changed, and the first time. */
  async callFor(
    base: Revision | undefined,
    change: Change,
    documents: ReadonlyMap<string, string>,
  ): Promise<CalledRefs> {
    const { id } = change.state.campaign
    const keeps = findKeeps(base, change)
    const isSame = base?.documents.get('archive.json') === documents.get('archive.json')
    if (isSame && this.#settled.has(id)) return { keeps, elites: [], unpublished: [] }
    // Local branches trigger nothing until somebody pushes them.
    const namespace = change.config.archive.refs === 'hidden' ? 'hidden' : 'branches'
    const found = await inspectRefs(this.#git.repository, allEliteRefs(id))
    const changes = findEliteChanges(change.state, namespace, idsOf(found))
    return {
      keeps,
      elites: changes.filter(({ ref }) => found.get(ref)?.checkedOutIn === undefined),
      unpublished: changes.flatMap((each) => {
        const folder = found.get(each.ref)?.checkedOutIn
        return folder === undefined ? [] : [unpublishedOf(each, `it is checked out in ${folder}`)]
      }),
    }
  }

  /** Moves the state with all its refs, or nothing. An elite ref that cannot be written does not block the others. */
  async publish(campaign: string, state: RefChange, called: CalledRefs): Promise<PublishOutcome> {
    const together = await this.#git.refs.apply([...called.keeps, ...called.elites, state])
    const outcome =
      together.status === 'applied'
        ? { status: 'applied' as const, unpublished: called.unpublished }
        : await this.#publishApart(state, called)
    if (outcome.status === 'applied' && outcome.unpublished.length === 0) this.#settled.add(campaign)
    else this.#settled.delete(campaign)
    return outcome
  }

  async #publishApart(state: RefChange, called: CalledRefs): Promise<PublishOutcome> {
    const [keeps, lost] = await this.#splitMissing(called.keeps)
    const moved = await this.#git.refs.apply([...keeps, state])
    if (moved.status === 'refused') return moved
    const [elites, missing] = await this.#splitMissing(called.elites)
    const unpublished = [...called.unpublished, ...lost, ...missing]
    for (const each of elites) {
      const outcome = await this.#git.refs.apply([{ ...each, from: 'any' }])
      if (outcome.status === 'refused') unpublished.push(unpublishedOf(each, outcome.detail))
    }
    return { status: 'applied', unpublished }
  }

  // A clone may lack commits that only keep refs held, and no ref can point to a missing commit.
  async #splitMissing(changes: readonly RefChange[]): Promise<[RefChange[], UnpublishedRef[]]> {
    const there = await Promise.all(
      changes.map(async ({ to }) => to === undefined || (await this.#git.objects.find(to)) !== undefined),
    )
    return [
      changes.filter((_, index) => there[index]),
      changes
        .filter((_, index) => !there[index])
        .map((each) => unpublishedOf(each, 'its commit is not in this repository')),
    ]
  }
}

function unpublishedOf({ ref, to }: RefChange, detail: string): UnpublishedRef {
  return { ref, commit: to, reason: 'refused', detail }
}

/** A campaign's elite refs, visible or hidden, with their commits. */
export async function listElites(
  repository: Repository,
  campaign: string,
): Promise<ReadonlyMap<string, string>> {
  return idsOf(await inspectRefs(repository, allEliteRefs(campaign)))
}

function idsOf(refs: ReadonlyMap<string, RefFacts>): ReadonlyMap<string, string> {
  return new Map([...refs].map(([ref, { id }]) => [ref, id]))
}
