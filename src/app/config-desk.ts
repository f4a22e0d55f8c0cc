import * as z from 'zod'
import type { ConfigFile } from '../config/campaign-config.ts'
import { CONFIG_FILE } from '../config/load.ts'
import { findConfigProblems, parseConfig } from '../config/parse.ts'
import type { ConfigProblem } from '../config/problem.ts'
import { putCheck } from '../github/check-runs.ts'
import { editIssue, openIssue } from '../github/issues.ts'
import { findFile } from '../github/repository-facts.ts'
import { renderConfigCheck, renderConfigIssue } from '../reports/config-text.ts'
import type { PullFacts } from './app-event.ts'
import { findObstacles } from './campaign-start.ts'
import type { RepositoryTools } from './repository-tools.ts'

export type ConfigReading =
  | { readonly status: 'read'; readonly config: ConfigFile }
  | { readonly status: 'missing' }
  | { readonly status: 'broken'; readonly problems: readonly ConfigProblem[] }

const TITLE = 'Loreley: action required'

const issues = z.array(z.object({ number: z.number(), title: z.string() }))

/** Reads `.loreley.yml`, and tells people once when it cannot be used. */
export class ConfigDesk {
  readonly #tools: RepositoryTools

  constructor(tools: RepositoryTools) {
    this.#tools = tools
  }

  /** The config of the default branch; that of a pull request is never used. */
  async read(): Promise<ConfigReading> {
    return readConfig(await findFile(this.#tools.api, CONFIG_FILE, this.#tools.defaultBranch))
  }

  /** Looks whether anything stands in the way now, and keeps the one issue about it right. True when nothing does. */
  async review(reading: ConfigReading): Promise<boolean> {
    const obstacles = obstaclesOf(reading)
    const isAsked = (await this.#findIssue()) !== undefined
    if (!isAsked && obstacles.length === 0) return true
    const left = reading.status === 'read' ? await this.#preflight(reading.config) : obstacles
    await this.tell(left)
    return left.length === 0
  }

  async #preflight({ campaigns }: ConfigFile): Promise<readonly string[]> {
    const [config] = campaigns.values()
    return config === undefined ? [] : await findObstacles(this.#tools, config.name, config)
  }

  /** Opens the one issue about obstacles, edits it, or closes it when there are none left. */
  async tell(obstacles: readonly string[]): Promise<void> {
    const open = await this.#findIssue()
    const { api } = this.#tools
    if (obstacles.length === 0) {
      if (open !== undefined) await editIssue(api, open, { state: 'closed' })
      return
    }
    const body = renderConfigIssue(obstacles)
    if (open === undefined) await openIssue(api, { title: TITLE, body })
    else await editIssue(api, open, { body })
  }

  /** Checks the config of a pull request's head, line by line. */
  async check({ headSha, number }: PullFacts): Promise<void> {
    if (!(await this.#touchesConfig(number))) return
    const text = await findFile(this.#tools.api, CONFIG_FILE, headSha)
    const problems = text === undefined ? [] : findConfigProblems(text)
    await putCheck(this.#tools.api, {
      ...renderConfigCheck(problems, text === undefined),
      name: 'loreley config',
      sha: headSha,
      externalId: 'config',
      annotations: problems.map(({ line, message, hint }) => ({
        path: CONFIG_FILE,
        line,
        level: 'failure',
        title: message.slice(0, 200),
        message: hint,
      })),
    })
  }

  async #touchesConfig(pull: number): Promise<boolean> {
    const files = await this.#tools.api.get({
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files',
      parameters: { pull_number: pull, per_page: 100 },
      answer: z.array(z.object({ filename: z.string() })),
      priority: 'report',
    })
    return files.some(({ filename }) => filename === CONFIG_FILE)
  }

  async #findIssue(): Promise<number | undefined> {
    const found = await this.#tools.api.get({
      route: 'GET /repos/{owner}/{repo}/issues',
      parameters: { creator: this.#tools.actor, state: 'open', per_page: 100 },
      answer: issues,
      priority: 'report',
      polled: true,
    })
    return found.find(({ title }) => title === TITLE)?.number
  }
}

function readConfig(text: string | undefined): ConfigReading {
  if (text === undefined) return { status: 'missing' }
  const problems = findConfigProblems(text)
  return problems.length > 0
    ? { status: 'broken', problems }
    : { status: 'read', config: parseConfig(text, CONFIG_FILE) }
}

/** What a person has to do about a config that cannot be used. */
export function obstaclesOf(reading: ConfigReading): readonly string[] {
  if (reading.status === 'missing')
    return [
      `There is no ${CONFIG_FILE} on the default branch. Write one with \`loreley init --github\`, and merge it.`,
    ]
  if (reading.status === 'read') return []
  return reading.problems
    .slice(0, 20)
    .map(({ line, column, message, hint }) => `${CONFIG_FILE}:${line}:${column} ${message}. ${hint}`)
}
