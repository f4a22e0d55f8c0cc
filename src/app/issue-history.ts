import * as z from 'zod'
import type { RepositoryApi } from '../github/repository-api.ts'

const PAGE = 100
const MOST_PAGES = 10

const issueEvent = z
  .object({
    event: z.string(),
    created_at: z.string(),
    actor: z.object({ login: z.string() }).nullish(),
    label: z.object({ name: z.string().nullish() }).nullish(),
  })
  .transform(({ event, created_at, actor, label }) => ({
    event,
    at: created_at,
    actor: actor?.login,
    label: label?.name ?? undefined,
  }))

type IssueEvent = z.infer<typeof issueEvent>

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
    if (outcome.status !== 'done') return undefined
    events.push(...outcome.value)
    if (outcome.value.length < PAGE) break
  }
  return events
}

const ENDS: Readonly<Record<string, string>> = {
  closed: 'the issue was closed',
  locked: 'the issue was locked',
  transferred: 'the issue was transferred',
}

/** Why an issue no longer asks for its campaign, if something happened to it after `since`. */
export async function findEnd(
  api: RepositoryApi,
  { issue, label, since }: { readonly issue: number; readonly label: string; readonly since: string },
): Promise<string | undefined> {
  const events = await listEvents(api, issue)
  if (events === undefined) return 'the issue is gone'
  // GitHub's times have no fractions: what happened in the same second is told by its webhook.
  const later = events.filter(({ at }) => Date.parse(at) > Date.parse(since))
  const reasons = later.flatMap((each) =>
    each.event === 'unlabeled' && each.label === label
      ? ['the label was taken off']
      : (ENDS[each.event] ?? []),
  )
  return reasons.at(-1)
}

/** Who put a label on an issue last. */
export async function findLabeller(
  api: RepositoryApi,
  issue: number,
  label: string,
): Promise<string | undefined> {
  const events = (await listEvents(api, issue)) ?? []
  return events.findLast((each) => each.event === 'labeled' && each.label === label)?.actor
}
