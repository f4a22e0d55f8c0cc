import type { EmitterWebhookEventName } from '@octokit/webhooks'
import * as z from 'zod'
import { cutWords } from '../../github/issues/issues.ts'
import { runnerLabel, workflowRun } from '../../github/runs/runs.ts'
import type { RepositoryEvent } from '../reconcile/evidence.ts'

const moment = z.iso.datetime().optional()

const issue = z
  .object({
    number: z.number(),
    title: z.string(),
    body: z.string().nullish(),
    pull_request: z.unknown().optional(),
    updated_at: moment,
  })
  .transform(({ number, title, body, pull_request, updated_at }) => ({
    updatedAt: updated_at,
    number,
    ...cutWords(title, body),
    isPull: pull_request !== undefined,
  }))

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

const before = z.object({ from: z.string() }).optional()
const wordsBefore = z
  .object({ title: before, body: before })
  .transform(({ title, body }) => ({ title: title !== undefined, body: body !== undefined }))

const bodyBefore = z.object({ body: z.object({ from: z.string() }) }).transform(({ body }) => body.from)

const comment = z.object({
  id: z.number(),
  body: z.string().default(''),
  user: z.object({ login: z.string() }),
  created_at: moment,
})

const paths = z.array(z.string()).default([])
const changes = z.object({ added: paths, modified: paths, removed: paths })

const OTHER: RepositoryEvent = { type: 'other' }

type Readers = { readonly [Name in EmitterWebhookEventName]?: z.ZodType<RepositoryEvent> }

// Keys are GitHub's documented event names, so a name that it never sends does not compile.
const READERS: Readers = {
  'issues.labeled': z.object({ issue, label: z.object({ name: z.string() }) }).transform(
    ({ issue: it, label }): RepositoryEvent => ({
      type: 'labelled',
      issue: it,
      label: label.name,
      at: it.updatedAt,
    }),
  ),
  'issues.unlabeled': z.object({ issue, label: z.object({ name: z.string() }) }).transform(
    ({ issue: it, label }): RepositoryEvent => ({
      type: 'issue-changed',
      issue: it,
      how: 'unlabeled',
      label: label.name,
      at: it.updatedAt,
    }),
  ),
  'issues.edited': z
    .object({ issue, changes: wordsBefore })
    .transform(
      (read): RepositoryEvent => ({ type: 'issue-edited', issue: read.issue, changed: read.changes }),
    ),
  ...Object.fromEntries(
    (['closed', 'deleted', 'transferred', 'locked', 'reopened', 'unlocked'] as const).map((how) => [
      `issues.${how}`,
      z.object({ issue }).transform(
        ({ issue: it }): RepositoryEvent => ({
          type: 'issue-changed',
          issue: it,
          how,
          at: it.updatedAt,
        }),
      ),
    ]),
  ),
  'issue_comment.created': z.object({ issue, comment }).transform(
    (read): RepositoryEvent => ({
      type: 'commented',
      issue: read.issue,
      comment: read.comment.id,
      body: read.comment.body,
      at: read.comment.created_at,
    }),
  ),
  'issue_comment.edited': z.object({ issue, comment, changes: bodyBefore }).transform(
    (read): RepositoryEvent => ({
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
    .transform((read): RepositoryEvent => ({ type: 'run-completed', run: read.workflow_run })),
  'workflow_job.completed': z
    .object({ workflow_job: z.object({ run_id: z.number(), name: z.string(), labels: runnerLabel }) })
    .transform(({ workflow_job: { run_id, name, labels } }): RepositoryEvent => {
      return { type: 'job-completed', run: run_id, name, label: labels }
    }),
  'check_run.requested_action': z
    .object({
      check_run: z.object({ external_id: z.string().nullish(), head_sha: z.string() }),
      requested_action: z.object({ identifier: z.string() }),
    })
    .transform(
      (read): RepositoryEvent => ({
        type: 'button',
        externalId: read.check_run.external_id ?? '',
        identifier: read.requested_action.identifier,
        sha: read.check_run.head_sha,
      }),
    ),
  'pull_request.closed': z
    .object({ pull_request: pull })
    .transform(
      ({ pull_request: it }): RepositoryEvent => ({ type: 'pull-closed', pull: it.facts, merged: it.merged }),
    ),
  'pull_request.edited': z.object({ pull_request: pull, changes: bodyBefore }).transform(
    (read): RepositoryEvent => ({
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
        .transform(({ pull_request: it }): RepositoryEvent => ({ type: 'pull-changed', pull: it.facts })),
    ]),
  ),
  push: z
    .object({ ref: z.string().startsWith('refs/heads/'), commits: z.array(changes).default([]) })
    .transform(
      ({ ref, commits }): RepositoryEvent => ({
        type: 'pushed',
        branch: ref.slice('refs/heads/'.length),
        paths: commits.flatMap(({ added, modified, removed }) => [...added, ...modified, ...removed]),
      }),
    ),
}

const ABOUT_REPOSITORY = 'repository'

/** GitHub's names of all events that are read. */
export const EVENTS: readonly string[] = [
  ...new Set([...Object.keys(READERS).map((key) => key.replace(/\..*$/, '')), ABOUT_REPOSITORY]),
].sort()

/** Whether an event may change a repository's name, owner, archived flag or default branch. */
export function isAboutRepository(name: string): boolean {
  return name === ABOUT_REPOSITORY
}

/** Reads a payload. One that GitHub does not document only triggers a reconcile. */
export function readEvent(name: string, payload: unknown): RepositoryEvent {
  const action = z.object({ action: z.string() }).safeParse(payload).data?.action
  const reader = findReader(action === undefined ? name : `${name}.${action}`)
  return reader?.safeParse(payload).data ?? OTHER
}

function findReader(name: string): z.ZodType<RepositoryEvent> | undefined {
  const readers: Readonly<Record<string, z.ZodType<RepositoryEvent>>> = READERS
  return Object.hasOwn(readers, name) ? readers[name] : undefined
}
