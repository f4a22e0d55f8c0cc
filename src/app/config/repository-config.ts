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

/** What a look at all that may stand in the way is made with. */
export interface Review {
  readonly reading: ConfigReading
  /** What the config asks in vain of campaigns under way. */
  readonly others: readonly string[]
  /** Whether there is reason to look, though no issue says so: it costs many requests. */
  readonly isSuspect: boolean
  /** Begins the campaigns that wait. Gives what is refused to them. */
  begin(): Promise<readonly string[]>
}

/** A pull request whose config is to be checked. */
type CheckRequest = Pick<SeenPull, 'headSha' | 'number'>

const CHECK = { name: 'loreley config', externalId: 'config' } as const
const TITLE = 'Loreley: action required'

const MENDED = 'This is mended: nothing stands in the way any more.'

/** Reads `.loreley.yml`, and tells people once when it cannot be used. */
export class RepositoryConfig {
  readonly #ports: ConfigPorts

  constructor(ports: ConfigPorts) {
    this.#ports = ports
  }

  /** The config of the default branch; that of a pull request is never used. */
  async read(): Promise<ConfigReading> {
    return readConfig(await findFile(this.#ports.api, CONFIG_FILE, this.#ports.defaultBranch))
  }

  /**
   * Looks whether anything stands in the way of new campaigns, begins those that wait if nothing is seen to, and keeps
   * the one issue about it right.
   */
  async review({ reading, others, isSuspect, begin }: Review): Promise<void> {
    const issue = await this.#findIssue()
    const isDue = isSuspect || issue?.state === 'open'
    const obstacles =
      reading.status === 'read' && isDue ? await this.#preflight(reading.config) : obstaclesOf(reading)
    // Not everything that GitHub refuses can be seen before: that nothing is wrong is known when nothing is refused.
    const refused = obstacles.length === 0 ? await begin() : []
    await this.#put(issue, [...new Set([...obstacles, ...others, ...refused])])
  }

  async #preflight({ campaigns }: ConfigFile): Promise<readonly string[]> {
    const [config] = campaigns.values()
    return config === undefined ? [] : await findObstacles(this.#ports, config.name, config)
  }

  /** Tells of obstacles, unless the one issue about them does, open or closed by somebody who has read it. */
  async tell(obstacles: readonly string[]): Promise<void> {
    if (obstacles.length === 0) return
    const issue = await this.#findIssue()
    const isSaid = obstacles.every((obstacle) => issue?.body?.includes(renderObstacle(obstacle)))
    if (!isSaid) await this.#put(issue, obstacles)
  }

  /** Answers somebody who asked for a campaign: an issue that was closed unmended is opened again. */
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
    // The same words in a closed issue: somebody has read them, and does not want to hear them again.
    if (issue?.body === body) return
    if (isOpen) await editIssue(api, issue.number, { body })
    else await openIssue(api, { title: TITLE, body })
  }

  /** Checks the config of a pull request's head, line by line, unless another process has. */
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

  /** The latest one, open or closed. */
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

/** What a person has to do about a config that cannot be used. */
export function obstaclesOf(reading: ConfigReading): readonly string[] {
  if (reading.status === 'missing')
    return [
      `There is no ${CONFIG_FILE} on the default branch. Write one with \`loreley init --github\`, and merge it.`,
    ]
  if (reading.status === 'read') return []
  return reading.problems
    .slice(0, 20)
    .map(withKey)
    .map(({ line, column, message, hint }) => `${CONFIG_FILE}:${line}:${column} ${message}. ${hint}`)
}

function withKey(problem: ConfigProblem): ConfigProblem {
  const { path, message } = problem
  return path === '' ? problem : { ...problem, message: `${path} ${message}` }
}
