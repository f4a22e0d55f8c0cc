import { describe, expect, it, onTestFinished } from 'vitest'
import { resolveCampaign } from '../../src/config/resolve.ts'
import { campaignSchema } from '../../src/config/schema/campaign.ts'
import { listFiles } from '../../src/git/listing.ts'
import { createCampaignGuard } from '../../src/guard/campaign-guard.ts'
import type { GuardReason } from '../../src/guard/guard.ts'
import { checkTrees } from '../../src/pipeline/guard-trees.ts'
import { openGit } from '../../src/store/open-git.ts'
import { aRepository, gitEnvironment } from '../support/repository.ts'
import { type TreeEntry, writeTree } from './real-trees.ts'

const ATTRIBUTES = `*.dat filter=lfs diff=lfs merge=lfs -text
*.wide working-tree-encoding=UTF-16
*.id ident
[attr]big filter=lfs
*.big big
*.txt text eol=crlf export-subst
`

const OWN: readonly TreeEntry[] = [
  { name: 'a.js', content: 'a\n' },
  { name: 'café', content: [{ name: 'b.js', content: 'b\n' }] },
  { name: 'deep', content: [{ name: 'c.js', content: 'c\n' }] },
  { name: 'old.dat', content: 'version https://git-lfs\n' },
  { name: 'tool.sh', mode: '100755', content: 'true\n' },
]

/** A tree whose `src` has these entries beside or instead of its own, without those that are left out. */
function treeWith(
  folder: string,
  entries: readonly TreeEntry[] = [],
  without: readonly string[] = [],
): string {
  const names = new Set([...entries.map(({ name }) => `${name}`), ...without])
  return writeTree(folder, [
    { name: '.gitattributes', content: ATTRIBUTES },
    { name: '.gitignore', content: 'build/\n*.tmp\n' },
    { name: 'bench.js', content: 'console.log(1)\n' },
    { name: 'src', content: [...OWN.filter(({ name }) => !names.has(`${name}`)), ...entries] },
  ])
}

async function judge(entries: readonly TreeEntry[], without: readonly string[] = []) {
  const folder = aRepository()
  const base = treeWith(folder)
  const { repository, objects, close } = await openGit(folder, gitEnvironment)
  onTestFinished(close)
  const settings = {
    goal: 'Better.',
    objectives: [{ metric: 'x', direction: 'maximize' }],
    evaluation: { command: 'node bench.js' },
    scope: { editable: ['src/**'] },
  }
  const config = resolveCampaign('demo', campaignSchema.parse(settings))
  const guard = await createCampaignGuard(config, await listFiles(repository, base), async (blob) =>
    (await objects.get(blob, 'blob')).toString('utf8'),
  )
  const tree = treeWith(folder, entries, without)
  return (await checkTrees({ repository, objects, guard }, base, tree)).verdict
}

const file = (name: string | Buffer, content = 'x\n'): TreeEntry => ({ name, content })

describe('a tree that some machine would read otherwise is refused', () => {
  it.each<[rule: string, reason: GuardReason, entries: TreeEntry[], without?: string[]]>([
    ['an ignored file', 'ignored-path', [file('x.tmp')]],
    ['a file in an ignored folder', 'ignored-path', [{ name: 'build', content: [file('x.js')] }]],
    ['a file that a filter rewrites', 'filtered-path', [file('new.dat')]],
    ['an edit of a file that a filter rewrites', 'filtered-path', [file('old.dat', 'version 2\n')]],
    ['a filter behind a macro', 'filtered-path', [file('new.big')]],
    ['a working-tree-encoding', 'filtered-path', [file('new.wide')]],
    ['ident', 'filtered-path', [file('new.id', '$Id$\n')]],
    ['a gitlink', 'submodule', [{ name: 'sub', mode: '160000', content: '' }]],
    ['a symlink', 'symlink', [{ name: 'link', mode: '120000', content: 'a.js' }]],
    ['a file for a symlink to it', 'symlink', [{ name: 'a.js', mode: '120000', content: 'deep/c.js' }]],
    ['a folder for a file', 'path-collision', [{ name: 'a.js', content: [file('x.js')] }]],
    ['a file for a folder', 'path-collision', [file('deep')]],
    ['a name that differs by case', 'path-collision', [file('A.js')]],
    ['two new names that differ by case', 'path-collision', [file('n.js'), file('N.js')]],
    ['a folder that differs by case', 'path-collision', [{ name: 'Deep', content: [file('x.js')] }]],
    [
      'a folder that differs by Unicode form',
      'path-collision',
      [{ name: 'café'.normalize('NFD'), content: [file('x.js')] }],
    ],
    ['a name that differs by a letter folded', 'path-collision', [file('maſs.js'), file('mass.js')]],
    ['.git in capitals', 'protected-path', [{ name: '.GIT', content: [file('config')] }]],
    ['.git as HFS+ reads it', 'protected-path', [{ name: '.g\u200cit', content: [file('config')] }]],
    ['.git as NTFS shortens it', 'protected-path', [{ name: 'git~1', content: [file('config')] }]],
    ['.git as NTFS trims it', 'protected-path', [{ name: '.git ', content: [file('config')] }]],
    [
      '.git as NTFS reads streams',
      'protected-path',
      [{ name: '.git::$INDEX_ALLOCATION', content: [file('x')] }],
    ],
    ['a name that is not UTF-8', 'unsafe-path', [file(Buffer.from([0x63, 0xe9]))]],
    ['a name with a backslash', 'unsafe-path', [file('a\\b.js')]],
    ['a new file that is executable', 'mode-change', [{ ...file('x.sh'), mode: '100755' }]],
    ['a file that becomes executable', 'mode-change', [{ ...file('a.js', 'a\n'), mode: '100755' }]],
    ['a file that is executable no more', 'mode-change', [{ ...file('tool.sh', 'true\n'), mode: '100644' }]],
    ['a manifest', 'manifest', [file('package.json', '{}')]],
    ['a lockfile', 'manifest', [file('package-lock.json', '{}')]],
  ])('refuses a tree with %s', async (_rule, reason, entries, without) => {
    expect(await judge(entries, without)).toMatchObject({ status: 'blocked', reason })
  })

  it('accepts a tree with line ends or keywords that only other commands would rewrite', async () => {
    expect(await judge([file('new.txt', 'a\r\n$Format:%H$\n')])).toEqual({ status: 'clean' })
  })

  it('an executable file may be edited', async () => {
    expect(await judge([{ ...file('tool.sh', 'false\n'), mode: '100755' }])).toEqual({ status: 'clean' })
  })
})
