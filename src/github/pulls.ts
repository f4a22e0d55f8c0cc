import * as z from 'zod'
import type { Outcome } from './api/api-client.ts'
import type { Clock } from './api/clock.ts'
import type { RepositoryApi } from './api/repository-api.ts'
import { readRepository } from './repository-facts.ts'

/** One of our pull requests. */
export interface PullFacts {
  readonly number: number
  readonly nodeId: string
  readonly url: string
  readonly state: string
  readonly draft: boolean
  readonly merged: boolean
  readonly branch: string
  /** The head commit: we may replace it only while it is ours. */
  readonly head: string
  /** As people may have edited it. */
  readonly body: string
}

export interface PullDraft {
  readonly title: string
  readonly body: string
  /** The head's branch, without `refs/heads/`. */
  readonly branch: string
  readonly base: string
}

const TITLE_CHARACTERS = 256
const BODY_CHARACTERS = 65_536

const pull = z
  .object({
    number: z.number(),
    node_id: z.string(),
    html_url: z.string(),
    state: z.string(),
    draft: z.boolean().nullish(),
    merged_at: z.string().nullish(),
    body: z.string().nullish(),
    head: z.object({ ref: z.string(), sha: z.string() }),
  })
  .transform(
    ({ number, node_id, html_url, state, draft, merged_at, body, head }): PullFacts => ({
      number,
      nodeId: node_id,
      url: html_url,
      state,
      draft: draft ?? false,
      merged: (merged_at ?? null) !== null,
      branch: head.ref,
      head: head.sha,
      body: body ?? '',
    }),
  )

// GitHub may not see a new branch yet.
const BRANCH_MS = 3000

/** Opens a draft pull request from an existing branch, or returns the one that is already open. */
export async function openPull(
  api: RepositoryApi,
  draft: PullDraft,
  clock: Pick<Clock, 'sleep'>,
): Promise<Outcome<PullFacts>> {
  const made = await post(api, draft, true)
  if (made.status === 'done') return made
  const found = await findPull(api, draft.branch)
  if (found?.state === 'open') return { status: 'done', value: found }
  if (made.status === 'unsure') return await post(api, draft, true)
  if (made.http !== 422) return made
  await clock.sleep(BRANCH_MS)
  const again = await post(api, draft, true)
  if (again.status !== 'refused' || again.http !== 422) return again
  // Private repositories of free accounts have no drafts. Elsewhere we insist on one: it requests no reviews.
  return (await readRepository(api)).private ? await post(api, draft, false) : again
}

/** The newest pull request with this head branch, open or closed; undefined when there is none. */
export async function findPull(api: RepositoryApi, branch: string): Promise<PullFacts | undefined> {
  const found = await api.get({
    route: 'GET /repos/{owner}/{repo}/pulls',
    parameters: { head: `${api.repository.owner}:${branch}`, state: 'all', per_page: 100 },
    answer: z.array(pull),
    priority: 'report',
  })
  return found[0]
}

/** A pull request; undefined when it is gone. */
export async function findPullByNumber(api: RepositoryApi, number: number): Promise<PullFacts | undefined> {
  const outcome = await api.ask({
    route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}',
    parameters: { pull_number: number },
    answer: pull,
    priority: 'report',
    polled: true,
  })
  return outcome.status === 'done' ? outcome.value : undefined
}

/** Changes title, body or state. */
export async function editPull(
  api: RepositoryApi,
  number: number,
  changes: { readonly title?: string; readonly body?: string; readonly state?: 'open' | 'closed' },
): Promise<Outcome<PullFacts>> {
  const { title, body, state } = changes
  return await api.ask({
    route: 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}',
    parameters: {
      pull_number: number,
      ...(title === undefined ? {} : { title: title.slice(0, TITLE_CHARACTERS) }),
      ...(body === undefined ? {} : { body: body.slice(0, BODY_CHARACTERS) }),
      ...(state === undefined ? {} : { state }),
    },
    answer: pull,
    priority: 'report',
    repeatable: true,
  })
}

async function post(api: RepositoryApi, draft: PullDraft, asDraft: boolean): Promise<Outcome<PullFacts>> {
  return await api.ask({
    route: 'POST /repos/{owner}/{repo}/pulls',
    parameters: {
      title: draft.title.slice(0, TITLE_CHARACTERS),
      body: draft.body.slice(0, BODY_CHARACTERS),
      head: draft.branch,
      base: draft.base,
      draft: asDraft,
    },
    answer: pull,
    priority: 'report',
  })
}
