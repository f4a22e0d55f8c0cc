import * as z from 'zod'
import type { RefChange } from '../../store/state-refs.ts'
import type { Outcome } from '../api/api-client.ts'
import type { Priority } from '../api/pacer.ts'
import type { RepositoryApi, RepositoryRef } from '../api/repository-api.ts'

const ABSENT = '0'.repeat(40)
const MUTATION = 'mutation ($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }'

const anything = z.unknown()
const refAnswer = z.object({ object: z.object({ sha: z.string() }) })
const refList = z.array(z.object({ ref: z.string(), object: z.object({ sha: z.string() }) }))

/** Elites do not descend from each other, so their refs are `forced`. */
export type RefMove = RefChange & { readonly forced?: boolean }

/** Moves refs: together in one request, or one by one if that is refused. */
export class RefUpdates {
  readonly #api: RepositoryApi
  readonly #priority: Priority

  constructor(api: RepositoryApi, priority: Priority) {
    this.#api = api
    this.#priority = priority
  }

  /** All or none, each from its expected value. */
  async together(changes: readonly RefMove[]): Promise<Outcome<unknown>> {
    return await this.#api.query({
      name: 'updateRefs',
      query: MUTATION,
      variables: { input: updatesOf(this.#api.repository, changes) },
      answer: anything,
      writes: true,
      priority: this.#priority,
    })
  }

  /** Creates a ref. */
  async create(ref: string, sha: string): Promise<Outcome<unknown>> {
    return await this.#send('POST /repos/{owner}/{repo}/git/refs', { ref, sha })
  }

  /** Moves a ref that exists; without `force` only to a descendant. */
  async move(ref: string, sha: string, force: boolean): Promise<Outcome<unknown>> {
    const parameters = { ref: shortName(ref), sha, force }
    return await this.#send('PATCH /repos/{owner}/{repo}/git/refs/{ref}', parameters)
  }

  /** Creates or moves a ref, wherever it points now. */
  async set(ref: string, sha: string): Promise<Outcome<unknown>> {
    const created = await this.create(ref, sha)
    if (created.status !== 'refused' || created.http !== 422) return created
    const moved = await this.move(ref, sha, true)
    // If it can be neither created nor moved, the first refusal is the cause.
    return moved.status === 'refused' ? created : moved
  }

  async remove(ref: string): Promise<Outcome<unknown>> {
    return await this.#send('DELETE /repos/{owner}/{repo}/git/refs/{ref}', { ref: shortName(ref) })
  }

  /** Where a ref points; undefined when there is none. */
  async find(ref: string): Promise<string | undefined> {
    const outcome = await this.#api.ask({
      route: 'GET /repos/{owner}/{repo}/git/ref/{ref}',
      parameters: { ref: shortName(ref) },
      answer: refAnswer,
      priority: this.#priority,
    })
    return outcome.status === 'done' ? outcome.value.object.sha : undefined
  }

  /** All refs with this prefix. GitHub returns them without pages. */
  async list(prefix: string): Promise<Map<string, string>> {
    const found = await this.#api.get({
      route: 'GET /repos/{owner}/{repo}/git/matching-refs/{ref}',
      parameters: { ref: shortName(prefix) },
      answer: refList,
      priority: this.#priority,
    })
    return new Map(found.map(({ ref, object }) => [ref, object.sha]))
  }

  // Setting a ref to a commit is idempotent.
  async #send(route: string, parameters: Record<string, unknown>): Promise<Outcome<unknown>> {
    const priority = this.#priority
    return await this.#api.ask({ route, parameters, answer: anything, priority, repeatable: true })
  }
}

/** The input of `updateRefs`. */
export function updatesOf({ nodeId }: RepositoryRef, changes: readonly RefMove[]) {
  const refUpdates = changes.map(({ ref, to, from, forced = false }) => ({
    name: ref,
    afterOid: to ?? ABSENT,
    ...(from === 'any' ? {} : { beforeOid: from === 'absent' ? ABSENT : from }),
    force: forced,
  }))
  return { repositoryId: nodeId, refUpdates }
}

function shortName(ref: string): string {
  return ref.replace(/^refs\//, '')
}
