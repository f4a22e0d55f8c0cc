import * as z from 'zod'
import { ApiClient } from '../../github/api/api-client.ts'
import type { Clock } from '../../github/api/clock.ts'
import type { PaceSettings } from '../../github/api/pace-settings.ts'
import { Pacer, type SharedBudget } from '../../github/api/pacer.ts'
import { Recent } from '../../github/api/recent.ts'
import { RepositoryApi } from '../../github/api/repository-api.ts'
import { BaseTrees } from '../../github/git/base-trees.ts'
import { Candidates } from '../../github/git/candidates.ts'
import { listInstallations, listRepositories } from '../../github/installation/installations.ts'
import type { InstalledRepository } from '../../github/installation/installed-repository.ts'
import { type AppRequester, createTransport } from '../../github/installation/repository-transport.ts'
import { Comments } from '../../github/issues/comments.ts'
import { Permissions } from '../../github/issues/permissions.ts'
import { EliteNamespaces } from '../../github/preflight/elite-namespace.ts'
import { GitHubStore } from '../../github/state/github-store.ts'
import type { AppSettings, Log } from '../ports.ts'
import { RepositoryReconciler } from '../reconcile/repository-reconciler.ts'

/** Everything that reconcilers are made from. */
export interface RepositoriesParts {
  readonly app: AppRequester
  /** The base URL of the API, such as https://api.github.com. */
  readonly baseUrl: string
  /** The base URL for people, such as https://github.com. */
  readonly webUrl: string
  readonly pace: PaceSettings
  readonly settings: AppSettings
  readonly clock: Clock
  readonly log: Log
  onRequest(kind: string): void
  /** The write budget of an installation, shared by all processes. */
  budgetOf(installation: number): SharedBudget
  /** False if another process has taken over a repository. */
  mayPush(repository: number): Promise<boolean>
}

/** Called for each repository as soon as it is listed. */
type OnListed = (names: InstalledRepository) => void

export type RepositoryAction =
  | { readonly type: 'forget'; readonly id: number }
  /** Changed: renamed, moved, archived, or with another default branch. */
  | { readonly type: 'note'; readonly names: InstalledRepository; readonly isChanged: boolean }

interface Entry {
  readonly names: InstalledRepository
  readonly reconciler: Promise<RepositoryReconciler>
}

const EVALUATIONS_KEPT = 1000
const PLAN_CHARACTERS_KEPT = 2_000_000

const appAnswer = z.object({ slug: z.string() })

/** The reconcilers of all repositories. A renamed repository gets a new reconciler. */
export class Repositories {
  readonly #parts: RepositoriesParts
  readonly #entries = new Map<number, Entry>()
  /** GitHub's latest information about each repository. A webhook that waited may still use an older name. */
  readonly #names = new Map<number, InstalledRepository>()
  readonly #unusable = new Set<number>()
  /** One per installation, because GitHub counts all its repositories together. */
  readonly #pacers = new Map<number, Pacer>()
  #actor: string | undefined

  constructor(parts: RepositoriesParts) {
    this.#parts = parts
  }

  /** Lists the repositories of all installations. Returns how many installations could not be read. */
  async listAll(onListed?: OnListed): Promise<number> {
    let failures = 0
    for (const { id, isUsable } of await listInstallations(this.#parts.app)) {
      this.noteInstallation(id, isUsable)
      if (isUsable && !(await this.list(id, onListed))) failures += 1
    }
    return failures
  }

  /** Lists the repositories of an installation. Returns false if it cannot be read: that does not delay the others. */
  async list(installation: number, onListed?: OnListed): Promise<boolean> {
    const { app, baseUrl, log } = this.#parts
    try {
      const listed = await listRepositories(app, installation, baseUrl)
      for (const action of decideListed(this.#remembered(), installation, listed)) this.#apply(action)
      for (const names of listed) onListed?.(names)
      return true
    } catch (error) {
      log('warn', 'an installation could not be read', { installation, error })
      return false
    }
  }

  /** Records the current names of a repository. */
  note(names: InstalledRepository): void {
    this.#apply(decideNoted(this.#entries.get(names.id)?.names, names))
  }

  // A repository may have a reconciler before it is listed, when a webhook came first.
  #remembered(): readonly InstalledRepository[] {
    const created = [...this.#entries.values()].map(({ names }) => [names.id, names] as const)
    return [...new Map([...this.#names, ...created]).values()]
  }

  // A reconciler keeps the names that it was created with.
  #apply(action: RepositoryAction): void {
    if (action.type === 'forget') this.#names.delete(action.id)
    else this.#names.set(action.names.id, action.names)
    if (action.type === 'forget') this.#entries.delete(action.id)
    else if (action.isChanged) this.#entries.delete(action.names.id)
  }

  /** Records whether an installation can be used. Its reconcilers are created again once it can. */
  noteInstallation(installation: number, isUsable: boolean): void {
    if (isUsable) {
      this.#unusable.delete(installation)
      return
    }
    this.#unusable.add(installation)
    this.renew(installation)
  }

  /**
   * Discards the reconcilers of an installation: after a change of permissions, their tokens and cached refusals are
   * stale.
   */
  renew(installation: number): void {
    for (const [id, { names }] of this.#entries) {
      if (names.installation === installation) this.#entries.delete(id)
    }
  }

  /** The reconciler of a repository; undefined if it cannot be used now. */
  async find(given: InstalledRepository): Promise<RepositoryReconciler | undefined> {
    const names = this.#names.get(given.id) ?? given
    if (names.archived || this.#unusable.has(names.installation)) return undefined
    const known = this.#entries.get(names.id)
    if (known !== undefined) return await known.reconciler
    const entry = { names, reconciler: this.#create(names) }
    this.#entries.set(names.id, entry)
    entry.reconciler.catch(() => this.#entries.delete(names.id))
    return await entry.reconciler
  }

  /** All known repositories. */
  known(): readonly InstalledRepository[] {
    return [...this.#names.values()]
  }

  /** Reloads what another process has changed. */
  async reload(repository: number): Promise<void> {
    await (await this.#entries.get(repository)?.reconciler)?.reload()
  }

  async #create(names: InstalledRepository): Promise<RepositoryReconciler> {
    const { app, baseUrl, webUrl, pace, settings, clock, log } = this.#parts
    const actor = await this.#getActor()
    const { installation, owner, name, id, nodeId } = names
    const transport = createTransport({ app, installation, repository: id, baseUrl, clock })
    const onRequest = ({ kind }: { kind: string }): void => this.#parts.onRequest(kind)
    const pacer = this.#pacerOf(installation)
    const client = new ApiClient({ transport, clock, pacer, maxWaitMs: pace.maxWaitMs, onRequest })
    const api = new RepositoryApi(client, { owner, repo: name, id, nodeId })
    const trees = new BaseTrees(api)
    const eliteNamespaces = new EliteNamespaces(api, trees)
    return new RepositoryReconciler({
      api,
      clock,
      settings,
      actor,
      trees,
      eliteNamespaces,
      mayWriteWorkflows: transport.mayWriteWorkflows,
      store: new GitHubStore({
        api,
        clock,
        pace: settings.statePace,
        eliteNamespace: (campaign, config) => eliteNamespaces.namespaceOf(campaign, config),
        mayPush: () => this.#parts.mayPush(id),
      }),
      candidates: new Candidates(api, trees),
      evaluations: new Recent(EVALUATIONS_KEPT),
      plans: new Recent(PLAN_CHARACTERS_KEPT, ({ length }) => length),
      comments: new Comments(api, actor),
      permissions: new Permissions(api, clock),
      defaultBranch: names.defaultBranch,
      webUrl: `${webUrl}/${owner}/${name}`,
      log,
    })
  }

  /** Requests that GitHub has not answered yet. */
  get underWay(): number {
    return [...this.#pacers.values()].reduce((sum, pacer) => sum + pacer.underWay, 0)
  }

  #pacerOf(installation: number): Pacer {
    const { pace, clock, budgetOf } = this.#parts
    const pacer = this.#pacers.get(installation) ?? new Pacer(pace, clock, budgetOf(installation))
    this.#pacers.set(installation, pacer)
    return pacer
  }

  async #getActor(): Promise<string> {
    if (this.#actor === undefined) {
      const { data } = await this.#parts.app.request('GET /app')
      this.#actor = `${appAnswer.parse(data).slug}[bot]`
    }
    return this.#actor
  }
}

/** What a listing of an installation's repositories means for those that are known. */
export function decideListed(
  known: readonly InstalledRepository[],
  installation: number,
  listed: readonly InstalledRepository[],
): readonly RepositoryAction[] {
  const ids = new Set(listed.map(({ id }) => id))
  const gone = known.filter((names) => names.installation === installation && !ids.has(names.id))
  const before = new Map(known.map((names) => [names.id, names]))
  return [
    ...gone.map(({ id }): RepositoryAction => ({ type: 'forget', id })),
    ...listed.map((names) => decideNoted(before.get(names.id), names)),
  ]
}

function decideNoted(before: InstalledRepository | undefined, names: InstalledRepository): RepositoryAction {
  return { type: 'note', names, isChanged: before !== undefined && !isSame(before, names) }
}

function isSame(a: InstalledRepository, b: InstalledRepository): boolean {
  return (
    a.installation === b.installation &&
    a.owner === b.owner &&
    a.name === b.name &&
    a.defaultBranch === b.defaultBranch &&
    a.archived === b.archived
  )
}
