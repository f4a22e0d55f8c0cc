import type { ConfigFile } from '../../config/campaign-config.ts'
import { CONFIG_FILE } from '../../config/file/load.ts'
import { findConfigProblems, parseConfig } from '../../config/file/parse.ts'
import type { ConfigProblem } from '../../config/file/problem.ts'
import { editIssue, findByTitle, type ListedIssue, openIssue } from '../../github/issues/issues.ts'
import { findFile } from '../../github/repository-facts.ts'
import { renderConfigIssue, renderObstacle } from '../../reports/issues/config-issue.ts'
import { findObstacles, type StartPorts } from '../campaign/campaign-start.ts'
import type { ActorPort } from '../ports.ts'

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

/** What is due for the one issue about obstacles. */
export type ConfigIssueAction =
  | { readonly type: 'nothing' }
  | { readonly type: 'open'; readonly body: string }
  | {
      readonly type: 'edit'
      readonly number: number
      readonly changes: { readonly state?: 'open' | 'closed'; readonly body?: string }
    }

type SeenConfigIssue = Pick<ListedIssue, 'number' | 'state' | 'body'>

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
    await this.#apply(decideConfigIssue(issue, [...new Set([...obstacles, ...others, ...refused])]))
  }

  async #preflight({ campaigns }: ConfigFile): Promise<readonly string[]> {
    const [config] = campaigns.values()
    return config === undefined ? [] : await findObstacles(this.#ports, config.name, config)
  }

  /** Reports obstacles, unless the one issue about them already does. A closed issue counts: somebody has read it. */
  async tell(obstacles: readonly string[]): Promise<void> {
    if (obstacles.length > 0) await this.#apply(decideTelling(await this.#findIssue(), obstacles))
  }

  /** Answers a request for a campaign. Reopens an issue that was closed without a fix. */
  async answer(obstacles: readonly string[]): Promise<void> {
    await this.#apply(decideAnswer(await this.#findIssue(), obstacles))
  }

  async #apply(action: ConfigIssueAction): Promise<void> {
    const { api } = this.#ports
    if (action.type === 'open') await openIssue(api, { title: TITLE, body: action.body })
    if (action.type === 'edit') await editIssue(api, action.number, action.changes)
  }

  /** The latest issue, open or closed. */
  async #findIssue(): Promise<ListedIssue | undefined> {
    return await findByTitle(this.#ports.api, { creator: this.#ports.actor, title: TITLE })
  }
}

/** Keeps the issue in line with the obstacles, after all of them were checked. */
export function decideConfigIssue(
  issue: SeenConfigIssue | undefined,
  obstacles: readonly string[],
): ConfigIssueAction {
  const isOpen = issue?.state === 'open'
  if (obstacles.length === 0) {
    if (!isOpen) return { type: 'nothing' }
    return { type: 'edit', number: issue.number, changes: { state: 'closed', body: MENDED } }
  }
  const body = renderConfigIssue(obstacles)
  // A closed issue with the same text means that somebody has read it. Do not repeat it.
  if (issue?.body === body) return { type: 'nothing' }
  return isOpen ? { type: 'edit', number: issue.number, changes: { body } } : { type: 'open', body }
}

/** Reports some obstacles. The issue may already list them among others. */
export function decideTelling(
  issue: SeenConfigIssue | undefined,
  obstacles: readonly string[],
): ConfigIssueAction {
  const isSaid = obstacles.every((obstacle) => issue?.body?.includes(renderObstacle(obstacle)))
  return isSaid ? { type: 'nothing' } : decideConfigIssue(issue, obstacles)
}

/** Reports the obstacles to a campaign that somebody asks for now, even if they were reported before. */
export function decideAnswer(
  issue: SeenConfigIssue | undefined,
  obstacles: readonly string[],
): ConfigIssueAction {
  const isClosedUnfixed = issue?.state === 'closed' && issue.body === renderConfigIssue(obstacles)
  return isClosedUnfixed
    ? { type: 'edit', number: issue.number, changes: { state: 'open' } }
    : decideConfigIssue(issue, obstacles)
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

/** A problem whose message names the key. */
export function withKey(problem: ConfigProblem): ConfigProblem {
  const { path, message } = problem
  return path === '' ? problem : { ...problem, message: `${path} ${message}` }
}
