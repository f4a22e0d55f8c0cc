import * as z from 'zod'
import type { ConfigFile } from '../../config/campaign-config.ts'
import { CONFIG_FILE } from '../../config/file/load.ts'
import { findConfigProblems, parseConfig } from '../../config/file/parse.ts'
import type { ConfigProblem } from '../../config/file/problem.ts'
import { findCheck, putCheck } from '../../github/checks/check-runs.ts'
import { editIssue, findByTitle, type ListedIssue, openIssue } from '../../github/issues/issues.ts'
import { findFile } from '../../github/repository-facts.ts'
import { renderConfigCheck, renderConfigIssue, renderObstacle } from '../../reports/issues/config-issue.ts'
import { findObstacles, type StartPorts } from '../campaign/campaign-start.ts'
import type { ActorPort } from '../ports.ts'
import type { SeenPull } from '../reconcile/evidence.ts'

type ConfigPorts = StartPorts & ActorPort

export type ConfigReading =
  | { readonly status: 'read'; readonly config: ConfigFile }
  | { readonly status: 'missing' }
  | { readonly status: 'broken'; readonly problems: readonly ConfigProblem[] }

/** The input of a review of everything that may block new campaigns. */
export interface Review {
  readonly reading: ConfigReading
  /** What the config wants from running campaigns but cannot have. */
  readonly others: readonly string[]
  /** Whether to run the preflight although no issue is open. It costs many requests. */
  readonly isSuspect: boolean
  /** Starts the waiting campaigns. Returns why others were refused. */
  begin(): Promise<readonly string[]>
}

/** A pull request whose config should be checked. */
type CheckRequest = Pick<SeenPull, 'headSha' | 'number'>

const CHECK = { name: 'loreley config', externalId: 'config' } as const
const TITLE = 'Loreley: action required'

const MENDED = 'This is fixed: nothing blocks Loreley any more.'

/** Reads `.loreley.yml`, and tells people once if it cannot be used. */
export class RepositoryConfig {
  readonly #ports: ConfigPorts

  constructor(ports: ConfigPorts) {
    this.#ports = ports
  }

  /** The config of the default branch. A pull request's config is never used. */
  async read(): Promise<ConfigReading> {
    return readConfig(await findFile(this.#ports.api, CONFIG_FILE, this.#ports.defaultBranch))
  }

  /**
   * Checks what blocks new campaigns, starts the waiting ones if nothing does, and keeps the one issue about it up to
   * date.
   */
  async review({ reading, others, isSuspect, begin }: Review): Promise<void> {
    const issue = await this.#findIssue()
    const isDue = isSuspect || issue?.state === 'open'
    const obstacles =
      reading.status === 'read' && isDue ? await this.#preflight(reading.config) : obstaclesOf(reading)
    // Some refusals cannot be predicted. Only a start that GitHub accepts shows that nothing is wrong.
    const refused = obstacles.length === 0 ? await begin() : []
    await this.#put(issue, [...new Set([...obstacles, ...others, ...refused])])
  }

  async #preflight({ campaigns }: ConfigFile): Promise<readonly string[]> {
    const [config] = campaigns.values()
    return config === undefined ? [] : await findObstacles(this.#ports, config.name, config)
  }

  /** Reports obstacles, unless the one issue about them already does. A closed issue counts: somebody has read it. */
  async tell(obstacles: readonly string[]): Promise<void> {
    if (obstacles.length === 0) return
    const issue = await this.#findIssue()
    const isSaid = obstacles.every((obstacle) => issue?.body?.includes(renderObstacle(obstacle)))
    if (!isSaid) await this.#put(issue, obstacles)
  }

  /** Answers a request for a campaign. Reopens an issue that was closed without a fix. */
  async answer(obstacles: readonly string[]): Promise<void> {
    const issue = await this.#findIssue()
    await this.#put(issue, obstacles)
    if (issue?.state === 'closed' && issue.body === renderConfigIssue(obstacles))
      await editIssue(this.#ports.api, issue.number, { state: 'open' })
  }

  async #put(issue: ListedIssue | undefined, obstacles: readonly string[]): Promise<void> {
    const { api } = this.#ports
    const isOpen = issue?.state === 'open'
    if (obstacles.length === 0) {
      if (isOpen) await editIssue(api, issue.number, { state: 'closed', body: MENDED })
      return
    }
    const body = renderConfigIssue(obstacles)
    // A closed issue with the same text means that somebody has read it. Do not repeat it.
    if (issue?.body === body) return
    if (isOpen) await editIssue(api, issue.number, { body })
    else await openIssue(api, { title: TITLE, body })
  }

  /** Checks the config at a pull request's head and annotates its lines, unless another process already has. */
  async check({ headSha, number }: CheckRequest): Promise<void> {
    if (!(await this.#touchesConfig(number))) return
    if ((await findCheck(this.#ports.api, { ...CHECK, sha: headSha })) !== undefined) return
    const text = await findFile(this.#ports.api, CONFIG_FILE, headSha)
    const problems = text === undefined ? [] : findConfigProblems(text).map(withKey)
    await putCheck(this.#ports.api, {
      ...renderConfigCheck(problems, text === undefined),
      ...CHECK,
      sha: headSha,
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
    const files = await this.#ports.api.get({
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files',
      parameters: { pull_number: pull, per_page: 100 },
      answer: z.array(z.object({ filename: z.string() })),
      priority: 'report',
    })
    return files.some(({ filename }) => filename === CONFIG_FILE)
  }

  /** The latest issue, open or closed. */
  async #findIssue(): Promise<ListedIssue | undefined> {
    return await findByTitle(this.#ports.api, { creator: this.#ports.actor, title: TITLE })
  }
}

function readConfig(text: string | undefined): ConfigReading {
  if (text === undefined) return { status: 'missing' }
  const problems = findConfigProblems(text)
  return problems.length > 0
    ? { status: 'broken', problems }
    : { status: 'read', config: parseConfig(text, CONFIG_FILE) }
}

/** What a person must do about an unusable config. */
export function obstaclesOf(reading: ConfigReading): readonly string[] {
  if (reading.status === 'missing')
    return [
      `There is no ${CONFIG_FILE} on the default branch. Write one with \`loreley init --github\`, and merge it.`,
    ]
  if (reading.status === 'read') return []
  return reading.problems
    .map(withKey)
    .map(({ line, column, message, hint }) => `${CONFIG_FILE}:${line}:${column} ${message}. ${hint}`)
}

function withKey(problem: ConfigProblem): ConfigProblem {
  const { path, message } = problem
  return path === '' ? problem : { ...problem, message: `${path} ${message}` }
}
