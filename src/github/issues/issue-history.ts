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

/** Something that happened to an issue, as GitHub's history of it says. */
export type IssueEvent = z.infer<typeof issueEvent>

/** What happened to an issue, oldest first; undefined when it is deleted or moved away. */
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
    // What cannot be read now is no reason to hold anything up, nor to let it go on.
    if (outcome.status !== 'done') return []
    events.push(...outcome.value)
    if (outcome.value.length < PAGE) break
  }
  return events
}

// Where the issue was moved to cannot be seen from here, or is another repository's business.
const GONE: readonly number[] = [301, 404, 410]

type End = 'closed' | 'deleted' | 'locked' | 'transferred' | 'unlabelled'

/** What ends an issue's request, and what takes that back. */
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
  unlabelled: 'the label was taken off',
}

/** Whether an issue still asks for its campaign. */
export type IssueStatus =
  /** `back` is what last took an end back. */
  | { readonly status: 'asking'; readonly back?: IssueEvent | undefined }
  | { readonly status: 'ended'; readonly detail: string }

interface Question {
  readonly issue: number
  readonly label: string
  /** What happened before does not count. */
  readonly since?: string | undefined
  /** What webhooks told: GitHub's own history may be a moment behind. */
  readonly told?: readonly IssueEvent[]
}

/** Reads from an issue's history whether it still asks for its campaign: closed and opened again, it does. */
export async function findIssueStatus(
  api: RepositoryApi,
  { issue, label, since, told = [] }: Question,
): Promise<IssueStatus> {
  const listed = await listEvents(api, issue)
  if (listed === undefined) return { status: 'ended', detail: explainGone(told) }
  const events = withTold(listed, told)
  // GitHub's times have no fractions: what happened in the same second may have happened after.
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

// The times of a webhook and of the history may differ by a little.
const SKEW_MS = 5000

function explainGone(told: readonly IssueEvent[]): string {
  const end = told
    .map(({ event }) => ENDS[event])
    .findLast((each) => each === 'deleted' || each === 'transferred')
  return end === undefined ? 'the issue is gone' : DETAILS[end]
}

// What a webhook told and the history does not show yet has just happened. A webhook that comes late, or twice, tells
// what the history shows already.
function withTold(listed: readonly IssueEvent[], told: readonly IssueEvent[]): readonly IssueEvent[] {
  const isListed = ({ event, label, at }: IssueEvent): boolean =>
    listed.some(
      (each) =>
        each.event === event && each.label === label && Date.parse(each.at) >= Date.parse(at) - SKEW_MS,
    )
  return [...listed, ...told.filter((each) => !isListed(each))]
}

/** How a label came onto an issue. */
export interface Labelling {
  readonly actor: string
  readonly at: string
  /** Who gave the issue another title since. */
  readonly renamers: readonly string[]
}

/** Who put a label on an issue last, and when. */
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

/** A title that somebody gave to an issue. */
export interface Rename {
  readonly actor: string
  readonly at: string
  readonly title: string
}

/** The titles that an issue was given after its first, oldest first. */
export async function listRenames(api: RepositoryApi, issue: number): Promise<readonly Rename[]> {
  return renamesIn((await listEvents(api, issue)) ?? [])
}

function renamesIn(events: readonly IssueEvent[]): readonly Rename[] {
  return events
    .filter(({ event }) => event === 'renamed')
    .map(({ actor = 'ghost', at, title = '' }) => ({ actor, at, title }))
}
