import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import type { LocalStore } from '../../src/store/local-store.ts'
import { aCampaign, aConfig, aResult } from '../support/builders.ts'
import { begun, playOut } from '../support/campaign-steps.ts'
import { aRepository, git, gitEnvironment, writeFiles } from '../support/repository.ts'
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

/** Commits a ledger file with its lines edited. */
function tamperLines(folder: string, path: string, edit: (lines: string[]) => string[]): void {
  const lines = git(folder, 'show', `${STATE}:campaigns/demo/${path}`).split('\n')
  tamper(folder, path, `${edit(lines).join('\n')}\n`)
}

const swapped = (first: number) => (lines: string[]) =>
  lines.with(first, lines[first + 1] ?? '').with(first + 1, lines[first] ?? '')
// One candidate has two lines and another has none, so all counts agree.
const doubled = (at: number) => (lines: string[]) => lines.with(at, lines[at - 1] ?? '')

describe('a ledger whose lines were moved', () => {
  it.each<[string, string, (lines: string[]) => string[], string]>([
    [
      'a doubled line in a full file',
      'ledger/000.jsonl',
      doubled(40),
      'ledger/000.jsonl:41 cannot be used: it repeats candidate 39',
    ],
    [
      'a doubled line in the last file',
      'ledger/001.jsonl',
      doubled(5),
      'ledger/001.jsonl:6 cannot be used: it repeats candidate 104',
    ],
    [
      'swapped lines in a full file',
      'ledger/000.jsonl',
      swapped(40),
      'ledger/000.jsonl:41 cannot be used: it holds candidate 41, where 40 belongs',
    ],
    [
      'swapped lines in the last file',
      'ledger/001.jsonl',
      swapped(5),
      'ledger/001.jsonl:6 cannot be used: it holds candidate 106, where 105 belongs',
    ],
  ])('a ledger with %s is refused with the file and the line', async (_case, path, edit, says) => {
    const folder = aRepository()
    await commit(await aStore(folder), undefined, finishedCampaign, config)
    tamperLines(folder, path, edit)
    await expect(readWhole(await aStore(folder))).rejects.toMatchObject({
      code: 'state-corrupt',
      message: expect.stringContaining(says),
    })
  })

  it.each<[string, (lines: string[]) => string[], string]>([
    ['a doubled line', doubled(40), 'ledger/000.jsonl:41 cannot be used: it repeats candidate 39'],
    [
      'a child before its parent',
      (lines) => swapped(0)(lines),
      'ledger/000.jsonl:1 cannot be used: candidate 1 stands before its parent 0',
    ],
  ])('a ledger with %s is refused where results are admitted as they arrive', async (_case, edit, says) => {
    const folder = aRepository()
    const arrival = {
      ...finishedCampaign,
      campaign: { ...finishedCampaign.campaign, order: 'arrival' as const },
    }
    await commit(await aStore(folder), undefined, arrival, config)
    tamperLines(folder, 'ledger/000.jsonl', edit)
    await expect(readWhole(await aStore(folder))).rejects.toMatchObject({
      code: 'state-corrupt',
      message: expect.stringContaining(says),
    })
  })
})

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

  it('a branch whose commit is lost is a fault, not an empty repository', async () => {
    const folder = aRepository()
    await commit(await aStore(folder), undefined, finishedCampaign, config)
    writeFiles(folder, { [`.git/${STATE}`]: `${'0'.repeat(39)}1\n` })
    await expect((await aStore(folder)).load('demo')).rejects.toMatchObject({
      code: 'git-failed',
      message: expect.stringContaining('no commit 0'),
    })
  })
})
