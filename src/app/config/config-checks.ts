import * as z from 'zod'
import { Recent } from '../../github/api/recent.ts'
import type { ApiPort, ClockPort } from '../ports.ts'
import type { SeenPull } from '../reconcile/evidence.ts'
import type { RepositoryConfig } from './repository-config.ts'

type ConfigCheckPorts = ApiPort & ClockPort

const DAY_MS = 24 * 3_600_000
const HEADS_KEPT = 1000

const listed = z.array(
  z
    .object({
      number: z.number(),
      updated_at: z.string(),
      head: z.object({ sha: z.string() }),
    })
    .transform(({ number, updated_at, head }) => ({ number, headSha: head.sha, updatedAt: updated_at })),
)

type SeenHead = Pick<SeenPull, 'number' | 'headSha'>

/** Checks the config in pull requests that change it. */
export class ConfigChecks {
  readonly #ports: ConfigCheckPorts
  readonly #config: Pick<RepositoryConfig, 'check'>
  /** Heads that were checked. Few change the config, but finding out costs a request. */
  readonly #seen = new Recent<true>(HEADS_KEPT)

  constructor(ports: ConfigCheckPorts, config: Pick<RepositoryConfig, 'check'>) {
    this.#ports = ports
    this.#config = config
  }

  /** Checks the heads from webhooks. Without evidence, checks all open pull requests of the last day. */
  async reconcile(told?: readonly SeenHead[]): Promise<void> {
    for (const pull of told ?? (await this.#observe())) {
      if (this.#seen.get(keyOf(pull)) === true) continue
      await this.#config.check(pull)
      this.#note(pull)
    }
  }

  async #observe(): Promise<readonly SeenHead[]> {
    const { api, clock } = this.#ports
    const open = await api.get({
      route: 'GET /repos/{owner}/{repo}/pulls',
      parameters: { state: 'open', sort: 'updated', direction: 'desc', per_page: 100 },
      answer: listed,
      priority: 'report',
      polled: true,
    })
    return open.filter(({ updatedAt }) => clock.now() - Date.parse(updatedAt) <= DAY_MS)
  }

  #note(pull: SeenHead): void {
    this.#seen.set(keyOf(pull), true)
  }
}

// The same commit may be the head of several pull requests with different bases, and so with different changes.
function keyOf({ number, headSha }: SeenHead): string {
  return `${number} ${headSha}`
}
