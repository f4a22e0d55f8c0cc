import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CampaignState } from '../../src/core/campaign/campaign.ts'
import type { Transport } from '../../src/github/api/api-client.ts'
import { GITHUB_STATE_PACE } from '../../src/github/api/pace-settings.ts'
import { NO_FAULTS } from '../../src/sandbox/settings.ts'
import type { StateStore } from '../../src/store/state-store.ts'
import { REPO } from '../sandbox/support.ts'
import { aCampaign, aConfig, aResult, ROOT } from '../support/builders.ts'
import { BASELINE, finished, step } from '../support/campaign-steps.ts'
import { aFolder, git } from '../support/repository.ts'
import { aChange, aStore, commit, load } from '../support/store.ts'
import { aGitHub, aQuickClock, type TestGitHub } from './support.ts'

const STATE = 'refs/heads/loreley/state'
const config = aConfig({ search: { window: 4, cells: 16 }, limits: { candidates: 1000 } })

/** A campaign whose root and candidates are commits of the repository. */
function aRealCampaign(github: TestGitHub) {
  const real = { commit: github.git('rev-parse', 'main') }
  const result = (ordinal: number) =>
    ordinal === 0
      ? { ...BASELINE, ...real }
      : aResult(ordinal, { ...real, metrics: { score: ordinal, x: (ordinal % 4) / 4, y: 0 } })
  const fresh = aCampaign({ config, root: { ...ROOT, ...real } })
  const next = (state: CampaignState, ordinal: number) =>
    step(state, finished(ordinal, result(ordinal))).state
  return { fresh, next, result }
}

/** Finishes candidates one commit each, from what the store has. */
async function carryOn(
  store: StateStore,
  campaign: ReturnType<typeof aRealCampaign>,
  ordinals: readonly number[],
): Promise<void> {
  let snapshot = await load(store)
  for (const ordinal of ordinals) {
    const base = await store.withTrees(snapshot, [campaign.result(ordinal).tree])
    snapshot = await commit(store, base.revision, campaign.next(base.state, ordinal), config)
  }
}

describe('the campaigns on the branch', () => {
  it('knows the campaigns from its own push until that is too old', async () => {
    const github = await aGitHub()
    const { fresh } = aRealCampaign(github)
    const clock = aQuickClock()
    const store = github.store({ clock })
    const { revision } = await commit(store, undefined, fresh, config)
    const expected = new Map([['demo', revision.folder]])
    const look = async (maxAgeMs?: number) => {
      const counts = await github.count(async () => expect(await store.folders(maxAgeMs)).toEqual(expected))
      return counts['graphql read the state branch'] ?? 0
    }
    expect(await look(60_000)).toBe(0)
    expect(await look()).toBe(1)
    await clock.sleep(60_000)
    expect(await look(60_000)).toBe(1)
  })
})

describe('a commit of the state', () => {
  it('takes one request with its keep refs, and a second when elites move', async () => {
    const github = await aGitHub()
    const { fresh, next, result } = aRealCampaign(github)
    const store = github.store()
    const first = await commit(store, undefined, fresh, config)
    const base = await store.withTrees(first, [result(0).tree])
    const made = await github.count(() => commit(store, base.revision, next(base.state, 0), config))
    expect(made).toEqual({ 'graphql append to the state': 1, 'graphql updateRefs': 1 })
    expect(
      github.git('for-each-ref', '--format=%(refname)', 'refs/loreley', 'refs/heads/loreley/elite'),
    ).toBe('refs/heads/loreley/elite/demo/main/2-2\nrefs/loreley/keep/demo/0000')
  })

  it('a large state commit is built from a tree and moves all refs at once', async () => {
    const github = await aGitHub()
    const { fresh, next } = aRealCampaign(github)
    const store = github.store()
    const first = await commit(store, undefined, fresh, config)
    const change = aChange(next(fresh, 0), config)
    const pages = new Map([...change.pages, ['archive.svg', 'x'.repeat(600_000)]])
    const made = await github.count(() => store.commit(first.revision, { ...change, pages }))
    expect(made).toEqual({
      'POST /repos/{owner}/{repo}/git/trees': 1,
      'POST /repos/{owner}/{repo}/git/commits': 1,
      'graphql updateRefs': 1,
    })
    expect((await load(github.store())).state.ledger.count).toBe(1)
  })

  it('a state commit that lost the race moves no elite', async () => {
    const github = await aGitHub()
    const { fresh, next } = aRealCampaign(github)
    const store = github.store()
    const first = await commit(store, undefined, fresh, config)
    await commit(
      github.store(),
      first.revision,
      { ...fresh, campaign: { ...fresh.campaign, nonce: 'other' } },
      config,
    )
    const outcome = await store.commit(first.revision, aChange(next(fresh, 0), config))
    expect(outcome.status).toBe('conflict')
    expect(github.git('for-each-ref', 'refs/heads/loreley/elite')).toBe('')
    expect((await load(github.store())).state.campaign.nonce).toBe('other')
  })

  it('the commit after a lost race restores the keep ref of the winner', async () => {
    const github = await aGitHub()
    const campaign = aRealCampaign(github)
    const [store, other] = [github.store(), github.store()]
    await commit(store, undefined, campaign.fresh, config)
    await carryOn(store, campaign, [0])
    const base = await other.withTrees(await load(other), [campaign.result(1).tree])
    const [theirs, ours] = ['theirs', 'ours'].map((message) =>
      github.git('commit-tree', '-p', 'main', '-m', message, 'main^{tree}'),
    )
    const madeBy = (made = '') =>
      aChange(step(base.state, finished(1, { ...campaign.result(1), commit: made })).state, config)
    expect(await other.commit(base.revision, madeBy(theirs))).toMatchObject({ status: 'committed' })
    expect(await store.commit(base.revision, madeBy(ours))).toEqual({ status: 'conflict' })
    await carryOn(store, campaign, [2])
    expect(github.git('rev-parse', 'refs/loreley/keep/demo/0001')).toBe(theirs)
    const again = await github.count(() => carryOn(store, campaign, [3]))
    expect(again).toMatchObject({ 'graphql append to the state': 1 })
  })

  it('waits when there were six pushes in the last minute, those of elites included', async () => {
    const github = await aGitHub()
    const campaign = aRealCampaign(github)
    const clock = aQuickClock()
    const start = clock.now()
    const store = github.store({ clock, pace: GITHUB_STATE_PACE })
    await commit(store, undefined, campaign.fresh, config)
    const isPush = ({ kind }: { kind: string }) =>
      ['append to the state', 'updateRefs'].includes(kind.slice(8))
    const pushes = () => github.sent.filter(isPush).length
    for (const ordinal of [0, 1]) await carryOn(store, campaign, [ordinal])
    expect([clock.now() - start, pushes()]).toEqual([0, 5])
    await carryOn(store, campaign, [2])
    expect([clock.now() - start, pushes()]).toEqual([60_000, 7])
  })

  it('a process that lost the repository pushes nothing', async () => {
    const github = await aGitHub()
    const { fresh } = aRealCampaign(github)
    const store = github.store({ mayPush: async () => false })
    await expect(commit(store, undefined, fresh, config)).rejects.toMatchObject({ code: 'state-conflict' })
    expect(github.git('for-each-ref', STATE)).toBe('')
  })

  // The sandbox stores push rulesets but does not apply them, so this fakes GitHub's refusal.
  it('a push ruleset ends in state-refused, with the message of GitHub', async () => {
    const github = await aGitHub()
    const { fresh } = aRealCampaign(github)
    const message = 'Repository rule violations found: File path is restricted'
    const transport: Transport = {
      graphql: github.octokit.graphql,
      request: async (route, parameters = {}) => {
        if (!route.endsWith('/git/trees')) return await github.octokit.request(route, parameters)
        throw Object.assign(new Error(message), { status: 422, response: { headers: {}, data: { message } } })
      },
    }
    const store = github.store({ api: github.api({ transport }), clock: aQuickClock() })
    await expect(commit(store, undefined, fresh, config)).rejects.toMatchObject({
      code: 'state-refused',
      message: expect.stringContaining(message),
      hint: expect.stringContaining('push rulesets'),
    })
  })

  it('GitHub signs state commits of an App', async () => {
    const github = await aGitHub()
    const { fresh } = aRealCampaign(github)
    await commit(github.store(), undefined, fresh, config)
    const [head = ''] = github.git('rev-parse', STATE).split('\n')
    const { data } = await github.octokit.rest.git.getCommit({ ...REPO, commit_sha: head })
    expect(data.verification.verified).toBe(true)
  })

  it('moves an elite’s ref with the archive, wherever it stood', async () => {
    const github = await aGitHub()
    const { fresh, next } = aRealCampaign(github)
    const store = github.store({ eliteNamespace: () => 'hidden' })
    const first = await commit(store, undefined, fresh, config)
    github.git('update-ref', 'refs/loreley/elite/demo/main/9-9', 'main')
    await commit(github.store({ eliteNamespace: () => 'hidden' }), first.revision, next(fresh, 0), config)
    expect(github.git('for-each-ref', '--format=%(refname)', 'refs/loreley/elite')).toBe(
      'refs/loreley/elite/demo/main/2-2',
    )
  })
})

describe('a load', () => {
  it('takes three queries from nothing and one when nothing changed', async () => {
    const github = await aGitHub()
    const { fresh } = aRealCampaign(github)
    await commit(github.store(), undefined, fresh, config)
    const store = github.store()
    expect(await github.count(() => load(store))).toEqual({
      'graphql read the state branch': 1,
      'graphql list a campaign': 1,
      'graphql read blobs': 1,
    })
    expect(await github.count(() => load(store))).toEqual({ 'graphql read the state branch': 1 })
  })
})

describe('an archive', () => {
  it('an archive continues over the API after a push, and the reverse, in the same bytes', async () => {
    const github = await aGitHub()
    const campaign = aRealCampaign(github)
    const folder = join(aFolder(), 'clone')
    const bare = github.git('rev-parse', '--absolute-git-dir')
    git('/', 'clone', '-q', bare, folder)
    const local = await aStore(folder)
    await commit(local, undefined, campaign.fresh, config)
    await carryOn(local, campaign, [0, 1, 2])
    git(folder, 'push', '-q', bare, STATE)
    await carryOn(github.store(), campaign, [3, 4, 5])
    git(folder, 'fetch', '-q', bare, `+${STATE}:${STATE}`)
    await carryOn(await aStore(folder), campaign, [6, 7])

    const alone = join(aFolder(), 'alone')
    git('/', 'clone', '-q', bare, alone)
    const other = await aStore(alone)
    await commit(other, undefined, campaign.fresh, config)
    await carryOn(other, campaign, [0, 1, 2, 3, 4, 5, 6, 7])
    const treeOf = (place: string) => git(place, 'rev-parse', `${STATE}^{tree}`)
    expect(treeOf(folder)).toBe(treeOf(alone))
  })
})

describe('when GitHub misbehaves', () => {
  it.each([
    ['fails after the work was done', { failAfter: 0.3 }],
    ['fails before the work', { failBefore: 0.3 }],
    ['shows old refs', { staleRead: 0.7 }],
  ])('commits every change once although GitHub %s', async (_case, faults) => {
    const github = await aGitHub({ lenient: true })
    const campaign = aRealCampaign(github)
    const store = github.store({ api: github.api({ clock: aQuickClock() }), clock: aQuickClock() })
    await commit(store, undefined, campaign.fresh, config)
    github.box.settings.faults = { ...NO_FAULTS, ...faults }
    await carryOn(store, campaign, [0, 1, 2, 3])
    github.box.settings.faults = NO_FAULTS
    expect((await load(github.store())).state.ledger.count).toBe(4)
    expect(github.git('rev-list', '--count', STATE)).toBe('5')
    expect(github.git('for-each-ref', '--format=%(refname)', 'refs/loreley').split('\n')).toHaveLength(4)
  })
})

describe('a refused ref', () => {
  it('a refused ref does not block the state and is reported', async () => {
    const github = await aGitHub({ files: { '.github/workflows/ci.yml': 'on: push\n', 'a.txt': 'a\n' } })
    const { fresh, next } = aRealCampaign(github)
    const store = github.store()
    const first = await commit(store, undefined, fresh, config)
    // The default branch gets another workflow: the App may no longer make refs to older commits.
    await github.box.as('olivia').rest.repos.createOrUpdateFileContents({
      ...REPO,
      path: '.github/workflows/more.yml',
      message: 'more',
      content: Buffer.from('on: push\n').toString('base64'),
    })
    const outcome = await store.commit(first.revision, aChange(next(fresh, 0), config))
    expect(outcome).toMatchObject({
      status: 'committed',
      unpublished: [
        { ref: 'refs/loreley/keep/demo/0000', reason: 'workflows-diverged' },
        {
          ref: 'refs/heads/loreley/elite/demo/main/2-2',
          reason: 'workflows-diverged',
          detail: expect.stringContaining('workflow'),
        },
      ],
    })
    expect((await load(github.store())).state.ledger.count).toBe(1)
  })
})
