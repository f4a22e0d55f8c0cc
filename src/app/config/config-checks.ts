import * as z from 'zod'
import { Recent } from '../../github/api/recent.ts'
import type { ApiPort, ClockPort } from '../ports.ts'
import type { PullFacts } from '../reconcile/evidence.ts'
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

/** Sees to it that pull requests which change the config are checked, whether or not a webhook tells of them. */
export class ConfigChecks {
  readonly #ports: ConfigCheckPorts
  readonly #config: Pick<RepositoryConfig, 'check'>
  /** Heads that were looked at: few change the config, and to see that takes a request. */
  readonly #seen = new Recent<true>(HEADS_KEPT)

  constructor(ports: ConfigCheckPorts, config: Pick<RepositoryConfig, 'check'>) {
    this.#ports = ports
    this.#config = config
  }

  /** A webhook told of a new head. */
  async changed(pull: PullFacts): Promise<void> {
    await this.#config.check(pull)
    this.#note(pull)
  }

  /** Looks for open pull requests of the last day that nobody told us of. */
  async follow(): Promise<void> {
    const { api, clock } = this.#ports
    const open = await api.get({
      route: 'GET /repos/{owner}/{repo}/pulls',
      parameters: { state: 'open', sort: 'updated', direction: 'desc', per_page: 100 },
      answer: listed,
      priority: 'report',
      polled: true,
    })
    for (const pull of open) {
      const isOld = clock.now() - Date.parse(pull.updatedAt) > DAY_MS
      if (isOld || this.#seen.get(keyOf(pull)) === true) continue
      await this.#config.check({ ...pull, again: true })
      this.#note(pull)
    }
  }

  #note(pull: Pick<PullFacts, 'number' | 'headSha'>): void {
    this.#seen.set(keyOf(pull), true)
  }
}

// The same commit may be the head of several, with other bases and so with other changes.
function keyOf({ number, headSha }: Pick<PullFacts, 'number' | 'headSha'>): string {
  return `${number} ${headSha}`
}
