import * as z from 'zod'
import type { Outcome } from './api-client.ts'
import type { RepositoryApi } from './repository-api.ts'

/** A pull request of ours. */
export interface PullFacts {
  readonly number: number
  readonly url: string
  readonly state: string
  readonly draft: boolean
  readonly merged: boolean
  readonly branch: string
  /** The commit at its head: only while it is ours may we replace it. */
  readonly head: string
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
    html_url: z.string(),
    state: z.string(),
    draft: z.boolean().nullish(),
    merged_at: z.string().nullish(),
    head: z.object({ ref: z.string(), sha: z.string() }),
  })
  .transform(
    ({ number, html_url, state, draft, merged_at, head }): PullFacts => ({
      number,
      url: html_url,
      state,
      draft: draft ?? false,
      merged: (merged_at ?? null) !== null,
      branch: head.ref,
      head: head.sha,
    }),
  )

/** Opens a draft pull request from a branch that exists; the one that the branch has already is as good. */
export async function openPull(api: RepositoryApi, draft: PullDraft): Promise<Outcome<PullFacts>> {
  const made = await post(api, draft, true)
  if (made.status === 'done') return made
  const found = await findPull(api, draft.branch)
  if (found !== undefined) return { status: 'done', value: found }
  if (made.status === 'unsure') return await post(api, draft, true)
  // Private repositories of free accounts have no drafts.
  return made.http === 422 ? await post(api, draft, false) : made
}

/** The pull request with this head branch, open or closed, the newest; undefined when there is none. */
export async function findPull(api: RepositoryApi, branch: string): Promise<PullFacts | undefined> {
  const found = await api.get({
    route: 'GET /repos/{owner}/{repo}/pulls',
    parameters: { head: `${api.place.owner}:${branch}`, state: 'all', per_page: 100 },
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
