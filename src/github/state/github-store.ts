import type { CampaignConfig } from '../../config/campaign-config.ts'
import type { LedgerEntry } from '../../core/campaign/ledger.ts'
import { LoreleyError } from '../../errors.ts'
import { renderCampaignList } from '../../store/campaign-list.ts'
import { decodeCampaign } from '../../store/decode.ts'
import { documentsToLoad, findEdits, readShards, readTreeIndex, snapshotOf } from '../../store/documents.ts'
import { encodeCampaign } from '../../store/encode.ts'
import { campaignFolder, type EliteNamespace } from '../../store/layout.ts'
import { blobId, type TreeFile, treeId } from '../../store/object-ids.ts'
import type { Change, CommitOutcome, Revision, Snapshot, StateStore } from '../../store/state-store.ts'
import type { Clock } from '../api/clock.ts'
import type { StatePace } from '../api/pace-settings.ts'
import type { RepositoryApi } from '../api/repository-api.ts'
import { RefUpdates } from '../git/ref-updates.ts'
import { ArchiveRefs, type CalledRefs } from './archive-refs.ts'
import { type BranchView, type Listing, StateBranch } from './state-branch.ts'
import { StateCommits, type StateEdit } from './state-commits.ts'

export interface GitHubStoreOptions {
  readonly api: RepositoryApi
  readonly clock: Clock
  readonly pace: StatePace
  /** The namespace of a campaign's elites: `archive.refs`, or the choice made for `auto`. */
  readonly eliteNamespace: (campaign: string, config: CampaignConfig) => EliteNamespace
  /** Checked right before a push: false when another process has taken over this repository. */
  readonly mayPush?: () => Promise<boolean>
}

const TRIES = 20
const RETRY_MS = 400
// GitHub may show an old head for some seconds, so an unmoved branch may still refuse to move.
const REFUSALS = 5
const MINUTE_MS = 60_000

/** A campaign's folder after a change. */
interface NextFolder {
  readonly id: string
  readonly listing: Listing
  /** Texts by path below the folder; undefined for a removed document. */
  readonly edits: ReadonlyMap<string, string | undefined>
}

/** The state branch of a repository on GitHub. It remembers what it wrote, because GitHub may show it late. */
export class GitHubStore implements StateStore {
  readonly #options: GitHubStoreOptions
  readonly #branch: StateBranch
  readonly #archiveRefs: ArchiveRefs
  readonly #commits: StateCommits
  readonly #pushes: number[] = []
  /** The branch after our last commit. If others moved it since, GitHub refuses and we reload. */
  #view: BranchView | undefined
  #pushedAt = Number.NEGATIVE_INFINITY

  constructor(options: GitHubStoreOptions) {
    this.#options = options
    this.#branch = new StateBranch(options.api)
    const refs = new RefUpdates(options.api, 'state')
    this.#archiveRefs = new ArchiveRefs(refs)
    this.#commits = new StateCommits({
      api: options.api,
      branch: this.#branch,
      refs,
      archiveRefs: this.#archiveRefs,
    })
  }

  async list(): Promise<readonly string[]> {
    return [...(await this.folders()).keys()]
  }

  /**
   * All campaigns with the ids of their folders: a different id means that somebody else changed the campaign. Our own
   * push is as good as a read, because GitHub accepts it only if the branch was where we thought.
   */
  async folders(maxAgeMs = 0): Promise<ReadonlyMap<string, string>> {
    const ageMs = this.#options.clock.now() - this.#pushedAt
    const view = (ageMs < maxAgeMs ? this.#view : undefined) ?? (await this.#branch.readView())
    return new Map(campaignsIn(view).map((id) => [id, folderIn(view, id) ?? '']))
  }

  async load(campaign: string): Promise<Snapshot | undefined> {
    const view = await this.#branch.readView()
    const folder = folderIn(view, campaign)
    if (folder === undefined) return undefined
    const listing = await this.#branch.list(folder)
    const { paths, shard } = documentsToLoad(namesIn(listing, 'jobs/'), namesIn(listing, 'ledger/'))
    const documents = await this.#branch.read(folder, paths)
    const stored = decodeCampaign(campaignFolder(campaign), documents, shard)
    this.#view = view
    return { ...stored, revision: { head: view.head, folder, documents } }
  }

  async withTrees(snapshot: Snapshot, trees: readonly string[]): Promise<Snapshot> {
    return await readTreeIndex(snapshot, trees, (folder, paths) => this.#branch.read(folder, paths))
  }

  readLedger(snapshot: Snapshot, what?: 'with-embeddings'): AsyncIterable<LedgerEntry> {
    return readShards(snapshot, (folder, paths) => this.#branch.read(folder, paths), what !== undefined)
  }

  /** Requests refused refs again. Call it when the cause may be gone. */
  retryRefused(): void {
    this.#archiveRefs.forget()
  }

  async commit(base: Revision | undefined, change: Change): Promise<CommitOutcome> {
    const { id } = change.state.campaign
    const documents = new Map([...encodeCampaign(change), ...change.pages])
    const folder = await this.#nextFolder(base?.folder, findEdits(base, documents))
    const refs = await this.#archiveRefs.callFor(
      base,
      change,
      this.#options.eliteNamespace(id, change.config),
    )
    let view = this.#view ?? (await this.#branch.readView())
    for (let tried = 0; tried < TRIES; tried++) {
      // A commit of another campaign is no conflict: we compare and swap the folder.
      if (folderIn(view, id) !== base?.folder) view = await this.#branch.readView()
      if (folderIn(view, id) !== base?.folder) return this.#conflict()
      // Elites follow the state in a separate push.
      await this.#waitForPushes(refs.elites.length > 0 ? 2 : 1)
      // After a long wait others may have taken over. What still slips through fails the compare-and-swap.
      if ((await this.#options.mayPush?.()) === false) throw fencedOff(id)
      this.#archiveRefs.doubt(id, refs.keeps)
      const outcome = await this.#commits.push(view, this.#editOf(view, change, { folder, refs }))
      if (outcome.status === 'published') {
        this.#archiveRefs.trust(id)
        this.#view = outcome.view
        this.#pushedAt = this.#options.clock.now()
        this.#branch.remember(folder.id, folder.listing, documents.values())
        const snapshot = snapshotOf(change, { head: outcome.view.head, folder: folder.id, documents })
        return { status: 'committed', snapshot, unpublished: outcome.unpublished }
      }
      if (outcome.status === 'refused' && tried >= REFUSALS) throw stuck(outcome.message)
      await this.#options.clock.sleep(RETRY_MS * this.#options.clock.jitter() * (tried + 1))
      view = await this.#branch.readView()
    }
    return this.#conflict()
  }

  #conflict(): CommitOutcome {
    this.#view = undefined
    this.#archiveRefs.forget()
    return { status: 'conflict' }
  }

  async #nextFolder(base: string | undefined, edits: NextFolder['edits']): Promise<NextFolder> {
    const listing = new Map(base === undefined ? [] : await this.#branch.list(base))
    for (const [path, text] of edits) {
      if (text === undefined) listing.delete(path)
      else listing.set(path, fileOf(text))
    }
    return { id: treeId(listing) ?? '', listing, edits }
  }

  #editOf(
    view: BranchView,
    change: Change,
    { folder, refs }: { readonly folder: NextFolder; readonly refs: CalledRefs },
  ): StateEdit {
    const { id } = change.state.campaign
    const files = new Map([...folder.edits].map(([path, text]) => [`${campaignFolder(id)}/${path}`, text]))
    const listing = new Map(view.listing).set(campaignFolder(id), { mode: '40000', id: folder.id })
    if (folderIn(view, id) === undefined) {
      const list = renderCampaignList([...campaignsIn(view), id].sort())
      files.set('README.md', list)
      listing.set('README.md', fileOf(list))
    }
    return { subject: `${change.subject} [skip ci]`, files, listing, refs }
  }

  async #waitForPushes(count: number): Promise<void> {
    const { clock, pace } = this.#options
    const first = this.#pushes[this.#pushes.length + count - 1 - pace.pushesPerMinute]
    if (first !== undefined) await clock.sleep(Math.max(0, first + MINUTE_MS - clock.now()))
    const now = clock.now()
    while ((this.#pushes[0] ?? now) <= now - MINUTE_MS) this.#pushes.shift()
    for (let push = 0; push < count; push++) this.#pushes.push(now)
  }
}

function fileOf(text: string): TreeFile {
  return { mode: '100644', id: blobId(text) }
}

function folderIn({ listing }: BranchView, campaign: string): string | undefined {
  return listing.get(campaignFolder(campaign))?.id
}

function campaignsIn({ listing }: BranchView): string[] {
  return namesIn(listing, 'campaigns/')
}

function namesIn(listing: Listing, prefix: string): string[] {
  const paths = [...listing.keys()].filter((path) => path.startsWith(prefix))
  return paths.map((path) => path.slice(prefix.length))
}

function stuck(detail: string): LoreleyError {
  return new LoreleyError(
    'state-refused',
    `GitHub refuses to update the state branch: ${detail}`,
    'Check for a branch named `loreley` (it blocks all of ours), for branch protection or rulesets that match `loreley/**`, and for push rulesets that restrict files. The App must be allowed to bypass them.',
  )
}

function fencedOff(campaign: string): LoreleyError {
  return new LoreleyError(
    'state-conflict',
    `Another process has taken over the repository. Nothing was written for ${campaign}.`,
    'It continues from the state branch. If this happens often, the server is overloaded or its clock is wrong.',
  )
}
