import * as z from 'zod'
import { expectDone, type Outcome } from '../api/api-client.ts'
import type { RepositoryApi } from '../api/repository-api.ts'

/** A label of ours. */
export interface LabelDraft {
  readonly name: string
  /** Six hexadecimal digits. */
  readonly color: string
  readonly description: string
}

export interface IssueFacts {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly state: string
  readonly locked: boolean
  readonly labels: readonly string[]
  readonly isPull: boolean
}

const DESCRIPTION_CHARACTERS = 100
const TITLE_CHARACTERS = 500
const BODY_CHARACTERS = 10_000
const anything = z.unknown()

/** Limits an issue's text, which is stored in every state and shown to every agent. */
export function cutWords(title: string, body: string | null | undefined) {
  return { title: title.slice(0, TITLE_CHARACTERS), body: (body ?? '').slice(0, BODY_CHARACTERS) }
}

const reactions = z.array(z.object({ content: z.string(), user: z.object({ login: z.string() }).nullish() }))

const issue = z
  .object({
    number: z.number(),
    title: z.string(),
    body: z.string().nullish(),
    state: z.string(),
    locked: z.boolean(),
    labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])),
    pull_request: z.unknown().optional(),
  })
  .transform(
    ({ title, body, labels, pull_request, ...facts }): IssueFacts => ({
      ...facts,
      ...cutWords(title, body),
      isPull: pull_request !== undefined,
      labels: labels.map((label) => (typeof label === 'string' ? label : (label.name ?? ''))),
    }),
  )

const ISSUE_ROUTE = 'GET /repos/{owner}/{repo}/issues/{issue_number}'

async function askForIssue(api: RepositoryApi, number: number): Promise<Outcome<IssueFacts>> {
  return await api.ask({
    route: ISSUE_ROUTE,
    parameters: { issue_number: number },
    answer: issue,
    priority: 'state',
    polled: true,
  })
}

/** An issue; undefined if it cannot be read, for example because it was deleted or transferred. */
export async function findIssue(api: RepositoryApi, number: number): Promise<IssueFacts | undefined> {
  const outcome = await askForIssue(api, number)
  return outcome.status === 'done' ? outcome.value : undefined
}

/** An issue; undefined only if GitHub says that it does not exist. Throws on every other refusal. */
export async function readIssue(api: RepositoryApi, number: number): Promise<IssueFacts | undefined> {
  const outcome = await askForIssue(api, number)
  const isGone = outcome.status === 'refused' && [404, 410].includes(outcome.http)
  return isGone ? undefined : expectDone(ISSUE_ROUTE, outcome)
}

const listed = z.array(
  z.object({ number: z.number(), title: z.string(), state: z.string(), body: z.string().nullish() }),
)

/** An issue as it appears in a list. */
export type ListedIssue = z.infer<typeof listed>[number]

/** The latest issue with this title and creator, open or closed. */
export async function findByTitle(
  api: RepositoryApi,
  { creator, title }: { readonly creator: string; readonly title: string },
): Promise<ListedIssue | undefined> {
  const found = await api.get({
    route: 'GET /repos/{owner}/{repo}/issues',
    parameters: { creator, state: 'all', per_page: 100 },
    answer: listed,
    priority: 'report',
    polled: true,
  })
  return found.find((each) => each.title === title)
}

/** Opens an issue. Never sent twice. */
export async function openIssue(
  api: RepositoryApi,
  draft: { readonly title: string; readonly body: string; readonly labels?: readonly string[] },
): Promise<Outcome<IssueFacts>> {
  return await api.ask({
    route: 'POST /repos/{owner}/{repo}/issues',
    parameters: { ...draft },
    answer: issue,
    priority: 'report',
  })
}

/** Changes an issue's title, body or state. */
export async function editIssue(
  api: RepositoryApi,
  number: number,
  changes: { readonly title?: string; readonly body?: string; readonly state?: 'open' | 'closed' },
): Promise<Outcome<IssueFacts>> {
  return await api.ask({
    route: 'PATCH /repos/{owner}/{repo}/issues/{issue_number}',
    parameters: { issue_number: number, ...changes },
    answer: issue,
    priority: 'report',
    repeatable: true,
  })
}

/** Creates a missing label; an existing one stays unchanged. */
export async function ensureLabel(
  api: RepositoryApi,
  { name, color, description }: LabelDraft,
): Promise<void> {
  const parameters = { name, color, description: description.slice(0, DESCRIPTION_CHARACTERS) }
  const outcome = await api.ask({
    route: 'POST /repos/{owner}/{repo}/labels',
    parameters,
    answer: anything,
    priority: 'report',
    repeatable: true,
  })
  // 422: it already exists.
  if (outcome.status === 'refused' && outcome.http !== 422)
    await api.get({
      route: 'GET /repos/{owner}/{repo}/labels/{name}',
      parameters: { name },
      answer: anything,
      priority: 'report',
    })
}

/** Puts labels on an issue or pull request. */
export async function addLabels(
  api: RepositoryApi,
  number: number,
  labels: readonly string[],
): Promise<Outcome<unknown>> {
  return await api.ask({
    route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels',
    parameters: { issue_number: number, labels },
    answer: anything,
    priority: 'report',
    repeatable: true,
  })
}

/** Removes a label, if it is there. */
export async function removeLabel(
  api: RepositoryApi,
  number: number,
  name: string,
): Promise<Outcome<unknown>> {
  return await api.ask({
    route: 'DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}',
    parameters: { issue_number: number, name },
    answer: anything,
    priority: 'report',
    repeatable: true,
  })
}

/** Reactions that acknowledge a command: seen, done, not understood. */
export type Reaction = 'eyes' | 'rocket' | 'confused' | '+1' | '-1'

/** Reacts to a comment. Idempotent. */
export async function react(
  api: RepositoryApi,
  commentId: number,
  content: Reaction,
): Promise<Outcome<unknown>> {
  return await api.ask({
    route: 'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
    parameters: { comment_id: commentId, content },
    answer: anything,
    priority: 'command',
    repeatable: true,
  })
}

/** The reactions of one user to a comment. */
export async function listReactions(
  api: RepositoryApi,
  commentId: number,
  login: string,
): Promise<ReadonlySet<string>> {
  const found = await api.get({
    route: 'GET /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
    parameters: { comment_id: commentId, per_page: 100 },
    answer: reactions,
    priority: 'state',
  })
  return new Set(found.filter(({ user }) => user?.login === login).map(({ content }) => content))
}
