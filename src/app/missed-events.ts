import * as z from 'zod'
import type { ConfigFile } from '../config/campaign-config.ts'
import { findIssue } from '../github/issues.ts'
import type { AppEvent } from './app-event.ts'
import { findCommand } from './commands.ts'
import type { Sender } from './envelope.ts'
import { findLabeller } from './issue-history.ts'
import type { RepositoryTools } from './repository-tools.ts'

/** An event that no webhook brought. */
export interface MissedEvent {
  readonly event: AppEvent
  readonly sender: Sender
}

const DAY_MS = 24 * 3_600_000
const PAGE = 100

const comments = z.array(
  z.object({
    id: z.number(),
    body: z.string().nullish(),
    issue_url: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    user: z.object({ login: z.string(), type: z.string() }).nullish(),
    reactions: z.object({ eyes: z.number() }).optional(),
  }),
)
const labelled = z.array(z.object({ number: z.number(), pull_request: z.unknown().optional() }))

/** Looks for what people asked for while nobody listened: commands without an answer, labels without a campaign. */
export class MissedEvents {
  readonly #tools: RepositoryTools
  #lookedAt: number | undefined

  constructor(tools: RepositoryTools) {
    this.#tools = tools
  }

  /** Commands that nobody has acknowledged. An edited comment is none: only what it said first counts. */
  async commands(): Promise<readonly MissedEvent[]> {
    const { api, clock, settings } = this.#tools
    const sinceMs = (this.#lookedAt ?? clock.now() - DAY_MS) - settings.reconcileMs
    this.#lookedAt = clock.now()
    const found = await api.get({
      route: 'GET /repos/{owner}/{repo}/issues/comments',
      parameters: { since: `${new Date(sinceMs).toISOString().slice(0, 19)}Z`, per_page: PAGE },
      answer: comments,
      priority: 'state',
    })
    const unheard = found.filter(
      ({ body, created_at, updated_at, reactions }) =>
        created_at === updated_at && reactions?.eyes === 0 && findCommand(body ?? '') !== undefined,
    )
    const missed: MissedEvent[] = []
    for (const each of unheard) missed.push(...(await this.#commandOf(each)))
    return missed
  }

  async #commandOf({ id, body, issue_url, user }: z.infer<typeof comments>[number]): Promise<MissedEvent[]> {
    const number = Number(issue_url.split('/').at(-1))
    const issue = await findIssue(this.#tools.api, number)
    if (issue === undefined || user === null || user === undefined) return []
    const event: AppEvent = { type: 'commented', issue, comment: id, body: body ?? '' }
    return [{ event, sender: { login: user.login, isBot: user.type === 'Bot' } }]
  }

  /** Labels on open issues that have no campaign; the one who set it is asked about, as with the webhook. */
  async labels(config: ConfigFile, begun: ReadonlySet<number>): Promise<readonly MissedEvent[]> {
    const missed: MissedEvent[] = []
    for (const label of new Set([...config.campaigns.values()].map((campaign) => campaign.label))) {
      const found = await this.#tools.api.get({
        route: 'GET /repos/{owner}/{repo}/issues',
        parameters: { labels: label, state: 'open', per_page: PAGE },
        answer: labelled,
        priority: 'state',
        polled: true,
      })
      const unheard = found.filter(
        ({ number, pull_request }) => pull_request === undefined && !begun.has(number),
      )
      for (const { number } of unheard) missed.push(...(await this.#labelOf(number, label)))
    }
    return missed
  }

  async #labelOf(number: number, label: string): Promise<MissedEvent[]> {
    const { api } = this.#tools
    const login = await findLabeller(api, number, label)
    const issue = login === undefined ? undefined : await findIssue(api, number)
    if (issue === undefined || login === undefined) return []
    const sender = { login, isBot: login.endsWith('[bot]') }
    return [{ event: { type: 'labelled', issue, label }, sender }]
  }
}
