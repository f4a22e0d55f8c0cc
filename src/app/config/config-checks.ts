import * as z from 'zod'
import { CONFIG_FILE } from '../../config/file/load.ts'
import { findConfigProblems } from '../../config/file/parse.ts'
import { Recent } from '../../github/api/recent.ts'
import { type CheckReport, findCheck, putCheck } from '../../github/checks/check-runs.ts'
import { findFile } from '../../github/repository-facts.ts'
import { renderConfigCheck } from '../../reports/issues/config-issue.ts'
import type { ApiPort, ClockPort } from '../ports.ts'
import type { SeenPull } from '../reconcile/evidence.ts'
import { withKey } from './repository-config.ts'

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

type SeenConfig =
  /** The pull request does not change the config, or its head has a check run. */
  { readonly status: 'settled' } | { readonly status: 'unchecked'; readonly text: string | undefined }

const CHECK = { name: 'loreley config', externalId: 'config' } as const

/** Checks the config in pull requests that change it. */
export class ConfigChecks {
  readonly #ports: ConfigCheckPorts
  /** Heads that were checked. Few change the config, but finding out costs a request. */
  readonly #seen = new Recent<true>(HEADS_KEPT)

  constructor(ports: ConfigCheckPorts) {
    this.#ports = ports
  }

  /** Checks the heads from webhooks. Without evidence, checks all open pull requests of the last day. */
  async reconcile(told?: readonly SeenHead[]): Promise<void> {
    for (const head of told ?? (await this.#list())) {
      if (this.#seen.get(keyOf(head)) === true) continue
      const report = decideConfigCheck(head, await this.#observe(head))
      if (report !== undefined) await putCheck(this.#ports.api, report)
      this.#seen.set(keyOf(head), true)
    }
  }

  async #list(): Promise<readonly SeenHead[]> {
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

  // Another process may have checked it.
  async #observe({ number, headSha: sha }: SeenHead): Promise<SeenConfig> {
    const { api } = this.#ports
    const isSettled =
      !(await this.#touchesConfig(number)) || (await findCheck(api, { ...CHECK, sha })) !== undefined
    return isSettled
      ? { status: 'settled' }
      : { status: 'unchecked', text: await findFile(api, CONFIG_FILE, sha) }
  }

  async #touchesConfig(pull: number): Promise<boolean> {
    const files = await this.#ports.api.get({
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files',
      parameters: { pull_number: pull, per_page: 100 },
      answer: z.array(z.object({ filename: z.string() })),
      priority: 'report',
    })
    return files.some(({ filename }) => filename === CONFIG_FILE)
  }
}

/** The check run that is due for a head, with remarks on the lines of its config. */
export function decideConfigCheck({ headSha }: SeenHead, seen: SeenConfig): CheckReport | undefined {
  if (seen.status === 'settled') return undefined
  const problems = seen.text === undefined ? [] : findConfigProblems(seen.text).map(withKey)
  return {
    ...renderConfigCheck(problems, seen.text === undefined),
    ...CHECK,
    sha: headSha,
    annotations: problems.map(({ line, message, hint }) => ({
      path: CONFIG_FILE,
      line,
      level: 'failure',
      title: message.slice(0, 200),
      message: hint,
    })),
  }
}

// The same commit may be the head of several pull requests with different bases, and so with different changes.
function keyOf({ number, headSha }: SeenHead): string {
  return `${number} ${headSha}`
}
