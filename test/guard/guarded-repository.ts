import { onTestFinished } from 'vitest'
import { resolveCampaign } from '../../src/config/resolve.ts'
import { campaignSchema } from '../../src/config/schema/campaign.ts'
import { listFiles } from '../../src/git/listing.ts'
import { createCampaignGuard } from '../../src/guard/campaign-guard.ts'
import { checkTrees } from '../../src/pipeline/guard-trees.ts'
import { openGit } from '../../src/store/open-git.ts'
import { aRepository, gitEnvironment } from '../support/repository.ts'
import { type TreeEntry, writeTree } from './real-trees.ts'

/** What the base's test file holds. */
export const TEST = 'test("a", () => 1)\ntest("b", () => 2)\n'
/** The tree that changes are made to. */
export const BASE: TreeEntry[] = [
  { name: '.gitattributes', content: '*.dat filter=lfs\n' },
  { name: '.gitignore', content: 'build/\n' },
  { name: 'bench.js', content: 'console.log(1)\n' },
  { name: 'docs', content: [{ name: 'notes.md', content: 'notes\n' }] },
  {
    name: 'src',
    content: [
      { name: 'a.js', content: 'a\n' },
      { name: 'a.test.js', content: TEST },
      { name: 'quick.mjs', content: 'console.log(1)\n' },
      { name: 'unseen', content: [{ name: 'inputs.json', content: '[1]\n' }] },
      { name: 'unseen.mjs', content: 'console.log(1)\n' },
    ],
  },
]

/** The base with these entries in `src`, beside or instead of its own. */
export function withSource(...entries: TreeEntry[]): TreeEntry[] {
  const names = new Set(entries.map(({ name }) => name))
  return BASE.map((entry) =>
    entry.name === 'src' && Array.isArray(entry.content)
      ? { name: 'src', content: [...entry.content.filter(({ name }) => !names.has(name)), ...entries] }
      : entry,
  )
}

/** A repository with the base, and its campaign's guard; limits are small. */
export async function aGuardedRepository() {
  const folder = aRepository()
  const base = writeTree(folder, BASE)
  const opened = await openGit(folder, gitEnvironment)
  onTestFinished(() => opened.close())
  const { repository, objects } = opened
  const config = resolveCampaign(
    'demo',
    campaignSchema.parse({
      goal: 'Better.',
      objectives: [{ metric: 'x', direction: 'maximize' }],
      evaluation: {
        command: 'node bench.js',
        quick: { command: 'node src/quick.mjs' },
        held_out: { command: 'node "$LORELEY_TRUSTED/src/unseen.mjs"', paths: ['src/unseen'] },
      },
      scope: {
        editable: ['src/**'],
        max_files: 3,
        max_lines: 10,
        max_file_bytes: 5000,
        max_change_bytes: 6000,
      },
    }),
  )
  const guard = await createCampaignGuard(config, await listFiles(repository, base), async (blob) =>
    (await objects.get(blob, 'blob')).toString('utf8'),
  )
  return {
    folder,
    base,
    check: async (entries: readonly TreeEntry[]) =>
      (await checkTrees({ repository, objects, guard }, base, writeTree(folder, entries))).verdict,
  }
}
