import type { Sender } from '../../src/app/people/sender.ts'
import type { RepositoryEvent } from '../../src/app/reconcile/evidence.ts'
import { RepositoryReconciler } from '../../src/app/reconcile/repository-reconciler.ts'
import type { RepositoryPorts } from '../../src/app/reconcile/subjects.ts'
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

/** The app at one repository, which hears of nothing but what a test tells it. */
export interface TestRepository {
  readonly github: TestGitHub
  readonly tools: RepositoryPorts
  readonly host: RepositoryReconciler
  /** What the operator was told. */
  readonly logged: string[]
  /** Routes that GitHub refuses, each with its status. */
  readonly refusals: Map<string, number>
  /** Reconciles with the evidence of one event. */
  tell(event: RepositoryEvent, sender: Sender): Promise<void>
}

/** The app on acme/demo without a server, webhooks or waits. */
export async function aRepository(files: Readonly<Record<string, string>> = FILES): Promise<TestRepository> {
  const github = await aGitHub({ files })
  const refusals = new Map<string, number>()
  const logged: string[] = []
  const clock = aQuickClock()
  const api = github.api({ clock, transport: refusing(github, refusals) })
  const log = (_level: string, message: string): void => void logged.push(message)
  const tools = portsOf(github, { api, clock, log })
  const host = new RepositoryReconciler(tools)
  // As a server after its start: from now on it looks only at what it is told.
  await host.reconcile()
  const tell = async (event: RepositoryEvent, sender: Sender): Promise<void> =>
    void (await host.reconcile([{ event, sender }]))
  return { github, tools, host, logged, refusals, tell }
}

/** All ports of acme/demo, as a new process makes them. */
export function portsOf(
  github: TestGitHub,
  {
    api,
    clock,
    log,
    settings = BOX_SETTINGS,
  }: Pick<RepositoryPorts, 'api' | 'clock' | 'log'> & Partial<Pick<RepositoryPorts, 'settings'>>,
): RepositoryPorts {
  const trees = new BaseTrees(api)
  return {
    api,
    clock,
    log,
    trees,
    settings,
    eliteNamespaces: new EliteNamespaces(api, trees),
    actor: 'tester[bot]',
    store: github.store({ api, clock }),
    candidates: new Candidates(api, trees),
    comments: new Comments(api, 'tester[bot]'),
    permissions: new Permissions(api, clock),
    evaluations: new Recent(100),
    plans: new Recent(100),
    mayWriteWorkflows: async () => false,
    defaultBranch: 'main',
    webUrl: `${github.box.url}/${REPO.owner}/${REPO.repo}`,
  }
}

/** A transport whose answers to some routes are refusals, each with its status. */
export function refusing({ octokit }: TestGitHub, refusals: ReadonlyMap<string, number>): Transport {
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
