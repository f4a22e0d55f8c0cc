import * as z from 'zod'
import type { RepositoryApi } from '../api/repository-api.ts'

const PAGE = 100
const MOST_PAGES = 10

const issueEvent = z
  .object({
    event: z.string(),
    created_at: z.string(),
    actor: z.object({ login: z.string() }).nullish(),
    label: z.object({ name: z.string().nullish() }).nullish(),
    rename: z.object({ to: z.string() }).nullish(),
  })
  .transform(({ event, created_at, actor, label, rename }) => ({
    event,
    at: created_at,
    actor: actor?.login,
    label: label?.name ?? undefined,
    title: rename?.to,
  }))

/** An event in an issue's history on GitHub. */
export type IssueEvent = z.infer<typeof issueEvent>

/** The events of an issue, oldest first; undefined if it was deleted or transferred. */
async function listEvents(api: RepositoryApi, issue: number): Promise<readonly IssueEvent[] | undefined> {
  const events: IssueEvent[] = []
  for (let page = 1; page <= MOST_PAGES; page++) {
    const outcome = await api.ask({
      route: 'GET /repos/{owner}/{repo}/issues/{issue_number}/events',
      parameters: { issue_number: issue, per_page: PAGE, page },
      answer: z.array(issueEvent),
      priority: 'state',
      polled: true,
    })
    if (outcome.status === 'refused' && GONE.includes(outcome.http)) return undefined
    // If the history cannot be read now, neither pause nor resume anything.
    if (outcome.status !== 'done') return []
    events.push(...outcome.value)
    if (outcome.value.length < PAGE) break
  }
  return events
}

// 301 means transferred: the new repository is out of our reach or none of our business.
const GONE: readonly number[] = [301, 404, 410]

type End = 'closed' | 'deleted' | 'locked' | 'transferred' | 'unlabelled'

/** Events that end an issue's request. `RETURNS` lists the events that undo them. */
const ENDS: Readonly<Record<string, End>> = {
  closed: 'closed',
  deleted: 'deleted',
  locked: 'locked',
  transferred: 'transferred',
  unlabeled: 'unlabelled',
}
const RETURNS: Readonly<Record<string, End>> = {
  reopened: 'closed',
  unlocked: 'locked',
  labeled: 'unlabelled',
}

const DETAILS: Readonly<Record<End, string>> = {
  closed: 'the issue was closed',
  deleted: 'the issue was deleted',
  locked: 'the issue was locked',
  transferred: 'the issue was transferred',
  unlabelled: 'the label was removed',
}

/** Whether an issue still asks for its campaign. */
export type IssueStatus =
  /** `back` is the event that last undid an end. */
  | { readonly status: 'asking'; readonly back?: IssueEvent | undefined }
  | { readonly status: 'ended'; readonly detail: string }

interface Question {
  readonly issue: number
  readonly label: string
  /** Earlier events are ignored. */
  readonly since?: string | undefined
  /** Events from webhooks. GitHub's own history may lag behind. */
  readonly told?: readonly IssueEvent[]
}

/** Reads from an issue's history whether it still asks for its campaign. It does if it was closed and reopened. */
export async function findIssueStatus(
  api: RepositoryApi,
  { issue, label, since, told = [] }: Question,
): Promise<IssueStatus> {
  const listed = await listEvents(api, issue)
  if (listed === undefined) return { status: 'ended', detail: explainGone(told) }
  const events = withTold(listed, told)
  // GitHub's times have no fractions, so an event in the same second may be a later one.
  const sinceMs = since === undefined ? 0 : Math.floor(Date.parse(since) / 1000) * 1000
  const counted = events.filter(
    (each) => Date.parse(each.at) >= sinceMs && (each.label === undefined || each.label === label),
  )
  const ends = new Set<End>()
  let back: IssueEvent | undefined
  for (const each of counted) {
    const end = ENDS[each.event]
    const returned = RETURNS[each.event]
    if (end !== undefined) ends.add(end)
    if (returned !== undefined && ends.delete(returned)) back = each
  }
  const [end] = [...ends].slice(-1)
  return end === undefined ? { status: 'asking', back } : { status: 'ended', detail: DETAILS[end] }
}

// The times in a webhook and in the history may differ slightly.
const SKEW_MS = 5000

function explainGone(told: readonly IssueEvent[]): string {
  const end = told
    .map(({ event }) => ENDS[event])
    .findLast((each) => each === 'deleted' || each === 'transferred')
  return end === undefined ? 'the issue is gone' : DETAILS[end]
}

// If the history does not show a webhook's event yet, it has just happened. If it does, the webhook came late or twice.
function withTold(listed: readonly IssueEvent[], told: readonly IssueEvent[]): readonly IssueEvent[] {
  const isListed = ({ event, label, at }: IssueEvent): boolean =>
    listed.some(
      (each) =>
        each.event === event && each.label === label && Date.parse(each.at) >= Date.parse(at) - SKEW_MS,
    )
  return [...listed, ...told.filter((each) => !isListed(each))]
}

/** The last time a label was added to an issue. */
export interface Labelling {
  readonly actor: string
  readonly at: string
  /** Who has changed the issue's title since. */
  readonly renamers: readonly string[]
}

/** Who last added a label to an issue, and when. */
export async function findLabelling(
  api: RepositoryApi,
  issue: number,
  label: string,
): Promise<Labelling | undefined> {
  const events = (await listEvents(api, issue)) ?? []
  const index = events.findLastIndex((each) => each.event === 'labeled' && each.label === label)
  const { actor, at = '' } = events[index] ?? {}
  if (actor === undefined) return undefined
  return { actor, at, renamers: renamesIn(events.slice(index + 1)).map((each) => each.actor) }
}

/** A new title of an issue. */
export interface Rename {
  readonly actor: string
  readonly at: string
  readonly title: string
}

/** The titles of an issue after its first, oldest first. */
export async function listRenames(api: RepositoryApi, issue: number): Promise<readonly Rename[]> {
  return renamesIn((await listEvents(api, issue)) ?? [])
}

function renamesIn(events: readonly IssueEvent[]): readonly Rename[] {
  return events
    .filter(({ event }) => event === 'renamed')
    .map(({ actor = 'ghost', at, title = '' }) => ({ actor, at, title }))
}
