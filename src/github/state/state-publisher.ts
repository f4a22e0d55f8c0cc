import { type EliteNamespace, STATE_REF } from '../../store/layout.ts'
import type { RefChange } from '../../store/state-refs.ts'
import type { Change, Revision, UnpublishedRef } from '../../store/state-store.ts'
import type { Outcome } from '../api/api-client.ts'
import type { RepositoryApi } from '../api/repository-api.ts'
import { RefUpdates } from '../git/ref-updates.ts'
import { ArchiveRefs, type CalledRefs } from './archive-refs.ts'

export type PublishOutcome =
  | { readonly status: 'published'; readonly unpublished: readonly UnpublishedRef[] }
  /** Somebody else moved the state branch. */
  | { readonly status: 'moved' }
  | { readonly status: 'refused'; readonly message: string }

/** Moves the state branch and its refs by compare-and-swap. */
export class StatePublisher {
  readonly #refs: RefUpdates
  readonly #archive: ArchiveRefs

  constructor(api: RepositoryApi) {
    this.#refs = new RefUpdates(api, 'state')
    this.#archive = new ArchiveRefs(this.#refs)
  }

  async callFor(base: Revision | undefined, change: Change, namespace: EliteNamespace): Promise<CalledRefs> {
    return await this.#archive.callFor(base, change, namespace)
  }

  forget(): void {
    this.#archive.forget()
  }

  /** Notes that a push of a campaign's state has begun: until it is published, its keep refs may be wrong. */
  noteBegun(campaign: string, { keeps }: CalledRefs): void {
    this.#archive.doubt(campaign, keeps)
  }

  notePublished(campaign: string): void {
    this.#archive.trust(campaign)
  }

  /** Publishes refs one by one; returns those that GitHub refused. */
  async publishEach(changes: readonly RefChange[]): Promise<readonly UnpublishedRef[]> {
    return await this.#archive.publishEach(changes)
  }

  /** Publishes elites after their state; a refused one blocks no other. */
  async publishElites(elites: readonly RefChange[]): Promise<readonly UnpublishedRef[]> {
    if (elites.length === 0) return []
    const outcome = await this.#refs.together(elites.map((change) => ({ ...change, forced: true })))
    if (outcome.status !== 'done') return await this.#archive.publishEach(elites)
    this.#archive.notePublished(elites)
    return []
  }

  /** Moves the state to an existing commit, with all its refs. */
  async publish(from: string | undefined, to: string, refs: CalledRefs): Promise<PublishOutcome> {
    const state = { ref: STATE_REF, from: from ?? 'absent', to }
    const forced = [...refs.keeps, ...refs.elites].map((change) => ({ ...change, forced: true }))
    const outcome = await this.#refs.together([state, ...forced])
    if (outcome.status === 'done') {
      this.#archive.notePublished(refs.elites)
      return { status: 'published', unpublished: refs.unpublished }
    }
    // GitHub does not reliably say which ref failed, or whether everything was done: read the branch.
    const now = await this.#refs.find(STATE_REF)
    if (now !== to && now !== from) return { status: 'moved' }
    return await this.#publishApart(from, to, refs)
  }

  // A refused elite never blocks the state. Keep refs come first: the state must not mention a commit that may be gone.
  async #publishApart(from: string | undefined, to: string, refs: CalledRefs): Promise<PublishOutcome> {
    const keeps = await this.#archive.publishEach(refs.keeps)
    const moved = await this.#moveState(from, to)
    if (moved.status !== 'done') {
      const now = await this.#refs.find(STATE_REF)
      return now === from ? { status: 'refused', message: moved.message } : { status: 'moved' }
    }
    const elites = await this.#archive.publishEach(refs.elites)
    return { status: 'published', unpublished: [...refs.unpublished, ...keeps, ...elites] }
  }

  async #moveState(from: string | undefined, to: string): Promise<Outcome<unknown>> {
    if (from !== undefined) return await this.#refs.move(STATE_REF, to, false)
    const created = await this.#refs.create(STATE_REF, to)
    // The request that seemed to fail created it after all.
    if (created.status === 'refused' && (await this.#refs.find(STATE_REF)) === to)
      return { status: 'done', value: undefined }
    return created
  }
}
