import { RepositoryHost, type RepositoryPorts } from '../../src/app/reconcile/repository-host.ts'
import { BOX_SETTINGS } from '../../src/app/server/settings.ts'
import type { Transport } from '../../src/github/api/api-client.ts'
import { Recent } from '../../src/github/api/recent.ts'
import { BaseTrees } from '../../src/github/git/base-trees.ts'
import { Candidates } from '../../src/github/git/candidates.ts'
import { Comments } from '../../src/github/issues/comments.ts'
import { Permissions } from '../../src/github/issues/permissions.ts'
import { EliteNamespaces } from '../../src/github/preflight/elite-namespace.ts'
import { aGitHub, aQuickClock, type TestGitHub } from '../github/support.ts'
import { REPO } from '../sandbox/support.ts'
import { FILES } from './support.ts'

/** The app's host of a repository, which hears of nothing but what a test tells it. */
export interface TestRepository {
  readonly github: TestGitHub
  readonly tools: RepositoryPorts
  readonly host: RepositoryHost
  /** What the operator was told. */
  readonly logged: string[]
  /** Routes that GitHub refuses, each with its status. */
  readonly refusals: Map<string, number>
  /** Does what the host put off until nothing is left. */
  catchUp(): Promise<void>
}

/** A host on acme/demo without a server, webhooks or waits. */
export async function aRepository(files: Readonly<Record<string, string>> = FILES): Promise<TestRepository> {
  const github = await aGitHub({ files })
  const refusals = new Map<string, number>()
  const logged: string[] = []
  const waiting: (() => Promise<void>)[] = []
  const clock = aQuickClock()
  const api = github.api({ clock, transport: refusing(github, refusals) })
  const trees = new BaseTrees(api)
  const elitePlaces = new EliteNamespaces(api, trees)
  const tools: RepositoryPorts = {
    api,
    clock,
    trees,
    elitePlaces,
    actor: 'tester[bot]',
    settings: BOX_SETTINGS,
    store: github.store({ api, clock }),
    candidates: new Candidates(api, trees),
    comments: new Comments(api, 'tester[bot]'),
    permissions: new Permissions(api, clock),
    evaluations: new Recent(100),
    plans: new Recent(100),
    mayWriteWorkflows: async () => false,
    defaultBranch: 'main',
    webUrl: `${github.box.url}/${REPO.owner}/${REPO.repo}`,
    log: (_level, message) => void logged.push(message),
    later: (_delayMs, task) => void waiting.push(task),
  }
  const catchUp = async (): Promise<void> => {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) await task()
  }
  return { github, tools, host: new RepositoryHost(tools), logged, refusals, catchUp }
}

function refusing({ octokit }: TestGitHub, refusals: ReadonlyMap<string, number>): Transport {
  return {
    graphql: octokit.graphql,
    request: async (route, parameters = {}) => {
      const status = refusals.get(route)
      if (status === undefined) return await octokit.request(route, parameters)
      const message = 'not for you'
      throw Object.assign(new Error(message), { status, response: { headers: {}, data: { message } } })
    },
  }
}
