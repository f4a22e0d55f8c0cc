import type { ObjectStore } from '../git/objects/object-store.ts'
import type { RefChange, RefOutcome, RefWriter } from '../git/refs.ts'
import { listCheckedOut } from '../git/refs.ts'
import { listRefs, type Repository } from '../git/repository.ts'
import { allEliteRefs, eliteRefs } from './layout.ts'
import { findEliteChanges, findKeeps } from './state-refs.ts'
import type { Change, Revision, UnpublishedRef } from './state-store.ts'

export interface LocalGit {
  readonly repository: Repository
  readonly objects: ObjectStore
  readonly refs: RefWriter
}

/** The refs that one state commit calls for. */
interface CalledRefs {
  /** They hold candidates that the state mentions for the first time. */
  readonly keeps: readonly RefChange[]
  /** They make the elite refs match the archive. */
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

  /** What to move along with a state commit. Elite refs are looked at when the archive changed, and at first. */
  async callFor(
    base: Revision | undefined,
    change: Change,
    documents: ReadonlyMap<string, string>,
  ): Promise<CalledRefs> {
    const { id } = change.state.campaign
    const keeps = findKeeps(base, change)
    const isSame = base?.documents.get('archive.json') === documents.get('archive.json')
    if (isSame && this.#settled.has(id)) return { keeps, elites: [], unpublished: [] }
    // Nothing here acts on branches: only whoever pushes them can set something off.
    const namespace = change.config.archive.refs === 'hidden' ? 'hidden' : 'branches'
    const { repository } = this.#git
    const changes = findEliteChanges(change.state, namespace, await listElites(repository, id))
    const inUse =
      changes.length === 0 ? undefined : await listCheckedOut(repository, eliteRefs(id, 'branches'))
    return {
      keeps,
      elites: changes.filter(({ ref }) => !inUse?.has(ref)),
      unpublished: changes.flatMap((each) => {
        const folder = inUse?.get(each.ref)
        return folder === undefined ? [] : [unpublishedOf(each, `it is checked out in ${folder}`)]
      }),
    }
  }

  /** Moves the state with all refs that it calls for, or nothing; an elite ref that cannot be written blocks no other. */
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

  // No ref can hold a commit that this repository does not have: a clone may lack what only keep refs held.
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

/** Where a campaign's elites stand, as branches or hidden, by ref. */
export async function listElites(
  repository: Repository,
  campaign: string,
): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(allEliteRefs(campaign).map((prefix) => listRefs(repository, prefix)))
  return new Map(found.flatMap((refs) => [...refs]))
}
