import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { writeFilesTo } from '../../src/git/checkout.ts'
import { diffTrees } from '../../src/git/listing.ts'
import { editTree } from '../../src/git/objects/trees.ts'
import { applyProposal } from '../../src/pipeline/proposal-files.ts'
import { readProposal } from '../../src/protocol/proposal.ts'
import { openGit } from '../../src/store/open-git.ts'
import { aChangedFile, aProposal, bytesOf, type ChangedFile } from '../support/artifacts.ts'
import { aFolder, aRepository, git, gitEnvironment } from '../support/repository.ts'
import { aStagedCheckout } from '../support/staging.ts'

const ROOT = { 'src/a.txt': 'one\n', 'src/tool.sh': 'true\n', 'src/deep/b.txt': 'two\n' }

/** A repository whose own settings would change every byte if they had a say. */
function aBentRepository(attributes: string): string {
  const source = aRepository(ROOT)
  writeFileSync(join(source, '.gitattributes'), attributes)
  git(source, 'add', '.gitattributes')
  git(source, 'update-index', '--chmod=+x', 'src/tool.sh')
  git(source, 'commit', '-qm', 'attributes')
  bend(source)
  return source
}

function bend(repository: string): void {
  git(repository, 'config', 'core.autocrlf', 'true')
  for (const side of ['clean', 'smudge']) git(repository, 'config', `filter.shout.${side}`, 'tr a-z A-Z')
  git(repository, 'config', 'filter.shout.required', 'true')
}

/** An agent's folder becomes a proposal, which is applied elsewhere and checked out again. */
async function aRoundTrip(edit: (folder: string) => void, attributes = '') {
  const source = aBentRepository(attributes)
  const proposed = await propose(source, edit)
  const applied = await apply(source, proposed.base, proposed.files, proposed.tree)
  return { ...proposed, ...applied }
}

async function propose(source: string, edit: (folder: string) => void) {
  const { files: folder, takeTree, repository, objects, rootTree: base } = await aStagedCheckout(source)
  edit(folder)
  const tree = await takeTree()
  const files = (await diffTrees(repository, base, tree)).map(async ({ path, before, after }) => ({
    path,
    ...(before && { before: plain(before) }),
    ...(after && {
      after: { ...plain(after), content: (await objects.get(after.blob, 'blob')).toString('base64') },
    }),
  }))
  return { base, tree, folder, files: await Promise.all(files) }
}

function plain({ mode, blob }: { readonly mode: string; readonly blob: string }) {
  return { mode: mode === '100755' ? ('100755' as const) : ('100644' as const), blob }
}

/** Takes the proposal as `evaluate` does: in a clone of its own, from the bytes that travel. */
async function apply(source: string, base: string, files: readonly ChangedFile[], tree: string) {
  const clone = join(aFolder(), 'clone')
  git('/', 'clone', '-q', source, clone)
  bend(clone)
  const { repository, objects, close } = await openGit(clone, gitEnvironment)
  onTestFinished(close)
  const { outcome, ...rest } = aProposal(files)
  const reading = readProposal(bytesOf({ ...rest, outcome: { ...outcome, tree } }))
  if (reading.status === 'unreadable' || reading.document.outcome.status !== 'proposed')
    return { application: { status: 'unreadable' }, read: () => undefined }
  const order = { repository, objects, baseTree: base, proposed: reading.document.outcome }
  const application = await applyProposal(order)
  const folder = aFolder()
  if (application.status === 'applied') {
    const changes = await diffTrees(repository, base, application.tree)
    const versions = changes.map(({ pathBytes, after }) => ({ pathBytes, version: after }))
    await writeFilesTo(folder, versions, objects)
  }
  return { application, read: (path: string) => readFileSync(join(folder, path), 'utf8') }
}

const put = (path: string, text: string) => (folder: string) => writeFileSync(join(folder, path), text)

describe('what is measured is byte for byte what an agent left', () => {
  it.each<[rule: string, attributes: string, text: string]>([
    ['core.autocrlf', '', 'a\r\nb\nc\r\n'],
    ['text=auto', '* text=auto\n', 'a\r\nb\n'],
    ['eol=crlf', '* text eol=crlf\n', 'a\nb\r\n'],
    ['eol=lf', '* text eol=lf\n', 'a\r\nb\r\n'],
    ['a filter', '*.txt filter=shout\n', 'quiet\n'],
    ['ident', '*.txt ident\n', '$Id$ and $Id: old $\n'],
    ['export-subst', '*.txt export-subst\n', '$Format:%H$\n'],
    ['working-tree-encoding', '*.txt working-tree-encoding=UTF-16\n', 'plain\n'],
    ['a macro that is binary', '*.txt binary\n', 'a\r\n'],
    ['a byte order mark', '', '\ufeffmark\n'],
    ['no line feed at the end', '', 'end'],
    ['nothing at all', '', ''],
  ])('a blob is taken byte for byte, whatever it meets: %s', async (_rule, attributes, text) => {
    const { application, tree, read } = await aRoundTrip(put('src/a.txt', text), attributes)
    expect(application).toEqual({ status: 'applied', tree })
    expect(read('src/a.txt')).toBe(text)
  })

  it('a rename is a removal and an addition', async () => {
    const { application, files, tree } = await aRoundTrip((at) =>
      renameSync(join(at, 'src/a.txt'), join(at, 'src/z.txt')),
    )
    expect(files.map(({ path, before, after }) => [path, !!before, !!after])).toEqual([
      ['src/a.txt', true, false],
      ['src/z.txt', false, true],
    ])
    expect(application).toEqual({ status: 'applied', tree })
  })

  it('existing files keep their mode, new ones are plain', async () => {
    const { application, files, tree } = await aRoundTrip((at) => {
      writeFileSync(join(at, 'src/tool.sh'), 'false\n', { mode: 0o644 })
      writeFileSync(join(at, 'src/new.sh'), 'true\n')
      for (const name of ['new.sh', 'a.txt']) chmodSync(join(at, 'src', name), 0o755)
    })
    expect(files.map(({ path, after }) => [path, after?.mode])).toEqual([
      ['src/new.sh', '100644'],
      ['src/tool.sh', '100755'],
    ])
    expect(application).toEqual({ status: 'applied', tree })
  })

  it('the objects of a repository with other settings are the same', async () => {
    const edit = put('src/a.txt', 'a\r\n')
    const [bent, straight] = [aBentRepository('*.txt ident\n'), aRepository(ROOT)]
    const blobs = await Promise.all([bent, straight].map(async (at) => (await propose(at, edit)).files))
    expect(blobs[0]?.[0]?.after?.blob).toBe(blobs[1]?.[0]?.after?.blob)
  })
})

describe('a proposal that is not the tree it names', () => {
  const source = () => aBentRepository('')
  const old = { mode: '100644' as const, blob: git('/', 'hash-object', '/dev/null') }

  it.each<[rule: string, files: ChangedFile[], status: string, detail: string]>([
    ['another tree', [aChangedFile('src/a.txt')], 'refused', 'tree-mismatch'],
    ['a folder where a file stands', [aChangedFile('src/a.txt/b')], 'refused', 'entry-mismatch'],
    ['a file where a folder stands', [aChangedFile('src/deep')], 'refused', 'entry-mismatch'],
    ['a removal of what is not there', [{ path: 'src/none', before: old }], 'refused', 'entry-mismatch'],
    ['another content before', [{ path: 'src/a.txt', before: old }], 'refused', 'entry-mismatch'],
    ['a path out of the tree', [aChangedFile('src/../../x')], 'unreadable', ''],
    ['an absolute path', [aChangedFile('/etc/x')], 'unreadable', ''],
    ['a path twice', [aChangedFile('src/x'), aChangedFile('src/x')], 'unreadable', ''],
    ['bytes that another id names', [{ path: 'x', after: { ...old, content: 'eA==' } }], 'unreadable', ''],
  ])('a proposal is not taken: %s', async (rule, files, status, detail) => {
    const repository = source()
    const base = git(repository, 'rev-parse', 'HEAD^{tree}')
    const isOther = rule === 'another tree' || status === 'unreadable'
    const tree = isOther ? base : await treeOf(repository, base, files)
    const { application } = await apply(repository, base, files, tree)
    expect(application).toMatchObject({
      status,
      ...(detail && { detail: expect.stringContaining(`${detail}:`) }),
    })
  })

  it.each(['120000', '160000', '040000', '100664'])(
    'a proposal is unreadable with the mode %s',
    async (mode) => {
      const { outcome, ...rest } = aProposal()
      const [file] = outcome.status === 'proposed' ? outcome.files : []
      const files = [{ ...file, after: { ...file?.after, mode } }]
      expect(readProposal(bytesOf({ ...rest, outcome: { ...outcome, files } })).status).toBe('unreadable')
    },
  )

  it('a proposal is not taken when a name was not UTF-8: its text is another name', async () => {
    const repository = source()
    const { base, tree, files } = await propose(repository, (at) => {
      mkdirSync(join(at, 'src'), { recursive: true })
      writeFileSync(Buffer.concat([Buffer.from(`${at}/src/`), Buffer.from([0x63, 0xe9])]), 'x')
    })
    const { application } = await apply(repository, base, files, tree)
    expect(application).toMatchObject({ status: 'refused', detail: expect.stringContaining('tree-mismatch') })
  })
})

/** The tree that these files really give, so that only the list of changes is wrong. */
async function treeOf(repository: string, base: string, files: readonly ChangedFile[]): Promise<string> {
  const opened = await openGit(repository, gitEnvironment)
  onTestFinished(opened.close)
  const edits = files.map(({ path, after }) => [path, after && { mode: after.mode, id: after.blob }] as const)
  return (await editTree(opened.objects, base, new Map(edits))) ?? ''
}
