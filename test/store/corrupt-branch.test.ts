import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import type { LocalStore } from '../../src/store/local-store.ts'
import { aCampaign, aConfig, aResult } from '../support/builders.ts'
import { begun, playOut } from '../support/campaign-steps.ts'
import { aRepository, git, gitEnvironment } from '../support/repository.ts'
import { aStore, commit } from '../support/store.ts'

const STATE = 'refs/heads/loreley/state'
const config = aConfig({ limits: { candidates: 120 } })
const finishedCampaign = playOut(begun(aCampaign({ config })), ({ ordinal }) => aResult(ordinal))

/** Commits another text of one document by hand, or removes it. */
function tamper(folder: string, path: string, text: string | undefined): void {
  const full = `campaigns/demo/${path}`
  const env = { ...gitEnvironment, GIT_INDEX_FILE: `${folder}/.git/tamper-index` }
  const run = (args: string[], input = ''): string =>
    execFileSync('git', args, { cwd: folder, env, input, encoding: 'utf8' }).trim()
  run(['read-tree', STATE])
  if (text === undefined) run(['update-index', '--force-remove', full])
  else {
    const blob = run(['hash-object', '-w', '--stdin'], text)
    run(['update-index', '--add', '--cacheinfo', `100644,${blob},${full}`])
  }
  const tree = run(['write-tree'])
  git(folder, 'update-ref', STATE, git(folder, 'commit-tree', '-p', STATE, '-m', 'tampered', tree))
}

async function readWhole(store: LocalStore): Promise<void> {
  const snapshot = await store.load('demo')
  if (snapshot === undefined) throw new Error('there is no campaign')
  await store.withTrees(snapshot, ['ab'.repeat(20)])
  for await (const entry of store.readLedger(snapshot)) expect(entry.ordinal).toBeGreaterThanOrEqual(0)
}

describe('a state branch that somebody edited', () => {
  it.each<[string, string, string, string | undefined]>([
    ['is not JSON', 'state-corrupt', 'campaign.json', '{'],
    ['is newer', 'state-newer', 'config.json', '{"schema": 2}'],
    ['is gone', 'state-corrupt', 'archive.json', undefined],
    ['is gone', 'state-corrupt', 'ledger/000.jsonl', undefined],
    ['is gone', 'state-corrupt', 'ledger/001.jsonl', undefined],
    ['is cut off', 'state-corrupt', 'ledger/000.jsonl', '{"schema": 1}\n{"sche'],
    ['is no index', 'state-corrupt', 'trees/ab.txt', 'abc 1\n'],
  ])(
    'a state branch stays as it is when a document %s, with %s that names %s',
    async (_case, code, path, text) => {
      const folder = aRepository()
      await commit(await aStore(folder), undefined, finishedCampaign, config)
      tamper(folder, path, text)
      const head = git(folder, 'rev-parse', STATE)
      const fault = await readWhole(await aStore(folder)).catch((error: unknown) => error)
      const message = expect.stringContaining('loreley/state:campaigns/demo/')
      expect(fault).toMatchObject({ name: 'LoreleyError', code, message })
      expect(git(folder, 'rev-parse', STATE)).toBe(head)
    },
  )
})
