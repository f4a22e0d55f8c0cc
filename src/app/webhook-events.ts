import * as z from 'zod'
import { type RunFacts, workflowRun } from '../github/runs.ts'

/** A person or a bot, as GitHub names the sender of an event. */
export interface Sender {
  readonly login: string
  readonly isBot: boolean
}

export interface IssueFacts {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly isPull: boolean
}

/** What a webhook says that matters to campaigns. Everything else is only an occasion to look around. */
export type AppEvent =
  | { readonly type: 'labelled'; readonly issue: IssueFacts; readonly label: string }
  | { readonly type: 'unlabelled'; readonly issue: IssueFacts; readonly label: string }
  | { readonly type: 'issue-gone'; readonly issue: IssueFacts; readonly how: string }
  | { readonly type: 'issue-edited'; readonly issue: IssueFacts }
  | {
      readonly type: 'commented'
      readonly issue: IssueFacts
      readonly comment: number
      readonly body: string
    }
  | {
      readonly type: 'comment-edited'
      readonly issue: IssueFacts
      readonly comment: number
      readonly author: string
      readonly body: string
      readonly before: string
    }
  | { readonly type: 'pull-edited'; readonly pull: PullFacts; readonly before: string; readonly body: string }
  | { readonly type: 'run-completed'; readonly run: RunFacts }
  | {
      readonly type: 'button'
      readonly externalId: string
      readonly identifier: string
      readonly sha: string
    }
  | { readonly type: 'pull-closed'; readonly pull: PullFacts; readonly merged: boolean }
  | { readonly type: 'pull-changed'; readonly pull: PullFacts }
  | { readonly type: 'pushed'; readonly branch: string }
  | { readonly type: 'other' }

export interface PullFacts {
  readonly number: number
  readonly headRef: string
  readonly headSha: string
  /** The head is a branch of the same repository: only such a one can be ours. */
  readonly isOwn: boolean
}

/** Where an event belongs, and who caused it. */
export interface Envelope {
  readonly installation: number
  readonly repository: {
    readonly id: number
    readonly nodeId: string
    readonly owner: string
    readonly name: string
    readonly defaultBranch: string
  }
  readonly sender: Sender
}

const envelope = z
  .object({
    installation: z.object({ id: z.number() }),
    repository: z.object({
      id: z.number(),
      node_id: z.string(),
      name: z.string(),
      owner: z.object({ login: z.string() }),
      default_branch: z.string().default('main'),
    }),
    sender: z.object({ login: z.string(), type: z.string().default('User') }),
  })
  .transform(
    ({ installation, repository, sender }): Envelope => ({
      installation: installation.id,
      repository: {
        id: repository.id,
        nodeId: repository.node_id,
        owner: repository.owner.login,
        name: repository.name,
        defaultBranch: repository.default_branch,
      },
      sender: { login: sender.login, isBot: sender.type === 'Bot' || sender.login.endsWith('[bot]') },
    }),
  )

/** Where a payload belongs; undefined when it is of no repository that the app is installed on. */
export function findEnvelope(payload: unknown): Envelope | undefined {
  return envelope.safeParse(payload).data
}

const issue = z
  .object({
    number: z.number(),
    title: z.string(),
    body: z.string().nullish(),
    pull_request: z.unknown().optional(),
  })
  .transform(
    ({ number, title, body, pull_request }): IssueFacts => ({
      number,
      title: title.slice(0, 500),
      body: (body ?? '').slice(0, 10_000),
      isPull: pull_request !== undefined,
    }),
  )

const pull = z
  .object({
    number: z.number(),
    body: z.string().nullish(),
    merged: z.boolean().nullish(),
    head: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ id: z.number() }).nullable() }),
    base: z.object({ repo: z.object({ id: z.number() }) }),
  })
  .transform(({ number, body, merged, head, base }) => ({
    facts: { number, headRef: head.ref, headSha: head.sha, isOwn: head.repo?.id === base.repo.id },
    body: body ?? '',
    merged: merged === true,
  }))

const bodyBefore = z.object({ body: z.object({ from: z.string() }) }).transform(({ body }) => body.from)

const comment = z.object({
  id: z.number(),
  body: z.string().default(''),
  user: z.object({ login: z.string() }),
})

const OTHER: AppEvent = { type: 'other' }

const READERS: Readonly<Record<string, z.ZodType<AppEvent>>> = {
  'issues.labeled': z
    .object({ issue, label: z.object({ name: z.string() }) })
    .transform((read): AppEvent => ({ type: 'labelled', issue: read.issue, label: read.label.name })),
  'issues.unlabeled': z
    .object({ issue, label: z.object({ name: z.string() }) })
    .transform((read): AppEvent => ({ type: 'unlabelled', issue: read.issue, label: read.label.name })),
  'issues.edited': z.object({ issue }).transform((read): AppEvent => ({ type: 'issue-edited', ...read })),
  ...Object.fromEntries(
    ['closed', 'deleted', 'transferred', 'locked'].map((how) => [
      `issues.${how}`,
      z.object({ issue }).transform((read): AppEvent => ({ type: 'issue-gone', issue: read.issue, how })),
    ]),
  ),
  'issue_comment.created': z.object({ issue, comment }).transform(
    (read): AppEvent => ({
      type: 'commented',
      issue: read.issue,
      comment: read.comment.id,
      body: read.comment.body,
    }),
  ),
  'issue_comment.edited': z.object({ issue, comment, changes: bodyBefore }).transform(
    (read): AppEvent => ({
      type: 'comment-edited',
      issue: read.issue,
      comment: read.comment.id,
      author: read.comment.user.login,
      body: read.comment.body,
      before: read.changes,
    }),
  ),
  'workflow_run.completed': z
    .object({ workflow_run: workflowRun })
    .transform((read): AppEvent => ({ type: 'run-completed', run: read.workflow_run })),
  'check_run.requested_action': z
    .object({
      check_run: z.object({ external_id: z.string().nullish(), head_sha: z.string() }),
      requested_action: z.object({ identifier: z.string() }),
    })
    .transform(
      (read): AppEvent => ({
        type: 'button',
        externalId: read.check_run.external_id ?? '',
        identifier: read.requested_action.identifier,
        sha: read.check_run.head_sha,
      }),
    ),
  'pull_request.closed': z
    .object({ pull_request: pull })
    .transform(
      ({ pull_request: it }): AppEvent => ({ type: 'pull-closed', pull: it.facts, merged: it.merged }),
    ),
  'pull_request.edited': z.object({ pull_request: pull, changes: bodyBefore }).transform(
    (read): AppEvent => ({
      type: 'pull-edited',
      pull: read.pull_request.facts,
      body: read.pull_request.body,
      before: read.changes,
    }),
  ),
  ...Object.fromEntries(
    ['opened', 'synchronize', 'reopened'].map((action) => [
      `pull_request.${action}`,
      z
        .object({ pull_request: pull })
        .transform(({ pull_request: it }): AppEvent => ({ type: 'pull-changed', pull: it.facts })),
    ]),
  ),
  push: z
    .object({ ref: z.string().startsWith('refs/heads/') })
    .transform(({ ref }): AppEvent => ({ type: 'pushed', branch: ref.slice('refs/heads/'.length) })),
}

/** The names of all events that are read, as GitHub calls them. */
export const EVENTS: readonly string[] = [
  ...new Set(Object.keys(READERS).map((key) => key.replace(/\..*$/, ''))),
].sort()

/** Reads a payload. One that is not what GitHub documents is an event like any other: an occasion to look around. */
export function readEvent(name: string, payload: unknown): AppEvent {
  const action = z.object({ action: z.string() }).safeParse(payload).data?.action
  const reader = READERS[action === undefined ? name : `${name}.${action}`]
  return reader?.safeParse(payload).data ?? OTHER
}
