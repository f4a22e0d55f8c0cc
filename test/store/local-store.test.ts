import { describe, expect, it } from 'vitest'
import type { CampaignState } from '../../src/core/campaign/campaign.ts'
import { aCampaign, aConfig, aFailure, anObjectId, aResult } from '../support/builders.ts'
import { begun, finished, playOut, step } from '../support/campaign-steps.ts'
import { aFolder, aRepository, git } from '../support/repository.ts'
import { aStore, commit, contentOf, load } from '../support/store.ts'

const STATE = 'refs/heads/loreley/state'

/** A campaign in the middle: elites, a failure, a duplicate, a result that waits, open jobs. */
function aBusyCampaign(id = 'demo'): CampaignState {
  const config = aConfig({ search: { window: 4 } })
  return step(
    begun(aCampaign({ id, config })),
    finished(1, aResult(1, { metrics: { score: 2, x: 0.1, y: 0.9 } })),
    finished(2, aFailure({ tree: anObjectId('broken') })),
    finished(3, aResult(3, { tree: aResult(1).tree })),
    finished(5, aResult(5)),
  ).state
}

describe('what is committed', () => {
  it.each([
    ['a new campaign', aCampaign()],
    ['a campaign in the middle', aBusyCampaign()],
    ['a finished campaign', playOut(begun(aCampaign()))],
  ])('a store loads again what was committed: %s', async (_case, state) => {
    const folder = aRepository()
    const snapshot = await commit(await aStore(folder), undefined, state)
    const loaded = await load(await aStore(folder))
    const expected = contentOf({ ...state, trees: new Map() })
    expect(contentOf(loaded.state)).toEqual(expected)
    expect(contentOf(snapshot.state)).toEqual(expected)
    expect(loaded.config).toEqual(aConfig())
    expect(loaded.revision).toMatchObject({ head: snapshot.revision.head, folder: snapshot.revision.folder })
  })

  it('a commit writes documents with sorted keys and a schema version', async () => {
    const folder = aRepository()
    await commit(await aStore(folder), undefined, aBusyCampaign())
    const paths = git(folder, 'ls-tree', '-r', '--name-only', STATE).split('\n')
    const plain = paths.filter((path) => !path.includes('/trees/'))
    const below = ['README.md', 'archive.json', 'campaign.json', 'config.json']
    const jobs = [4, 5, 6, 7].map((ordinal) => `jobs/000${ordinal}.json`)
    const expected = [...below, ...jobs, 'ledger/000.jsonl', 'projection.json'].map(
      (path) => `campaigns/demo/${path}`,
    )
    expect(plain).toEqual(['README.md', ...expected])
    for (const path of paths.filter((each) => each.endsWith('.json'))) {
      const document: unknown = JSON.parse(git(folder, 'show', `${STATE}:${path}`))
      expect(document, path).toMatchObject({ schema: 1 })
      const keys = Object.keys(Object(document))
      expect(keys, path).toEqual(keys.toSorted())
    }
  })

  it('a commit puts no times into archive.json', async () => {
    const folder = aRepository()
    await commit(await aStore(folder), undefined, aBusyCampaign())
    const text = git(folder, 'show', `${STATE}:campaigns/demo/archive.json`)
    expect(Object.keys(JSON.parse(text))).toEqual(['epoch', 'islands', 'projection', 'schema', 'shape'])
    expect(text).not.toMatch(/At"|seconds|T\d\d:/)
  })

  it('a commit of the state is on an orphan branch, its subject marked to skip CI', async () => {
    const folder = aRepository()
    const store = await aStore(folder)
    const first = await commit(store, undefined, aCampaign())
    await commit(store, first.revision, begun(aCampaign()))
    const log = git(folder, 'log', '--format=%an %ae|%cI|%s', STATE).split('\n')
    expect(log).toEqual(
      Array(2).fill('Loreley loreley@localhost|2026-01-01T00:00:00+00:00|demo: test [skip ci]'),
    )
    expect(git(folder, 'rev-list', '--max-parents=0', STATE).split('\n')).toHaveLength(1)
    expect(git(folder, 'rev-list', '--count', STATE, '--not', 'main')).toBe('2')
  })
})

describe('a repository without state', () => {
  it('a repository without a state branch has no campaigns', async () => {
    const store = await aStore(aFolderWithGit())
    expect([await store.list(), await store.load('demo')]).toEqual([[], undefined])
  })
})

function aFolderWithGit(): string {
  const folder = aFolder()
  git(folder, 'init', '-q')
  return folder
}
