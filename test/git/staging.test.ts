import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aRepository, git, gitEnvironment, writeFiles } from '../support/repository.ts'
import { aStagedCheckout } from '../support/staging.ts'

const FILES = { 'src/a.js': 'a = 1\n', 'src/b.js': 'b = 2\n', 'README.md': 'hello\n' }

function show(folder: string, tree: string, path: string): string {
  return execFileSync('git', ['cat-file', 'blob', `${tree}:${path}`], {
    cwd: folder,
    env: gitEnvironment,
    encoding: 'latin1',
  })
}

describe('a workspace as a tree', () => {
  it('an unchanged workspace gives the tree of the root', async () => {
    const checkout = await aStagedCheckout(aRepository(FILES))
    expect(await checkout.takeTree()).toBe(checkout.rootTree)
  })

  it('holds edits, new files and removals', async () => {
    const source = aRepository(FILES)
    const checkout = await aStagedCheckout(source)
    writeFiles(checkout.files, { 'src/a.js': 'a = 10\n', 'src/deep/new.js': 'n\n' })
    rmSync(join(checkout.files, 'src/b.js'))
    expect(await checkout.takeFiles()).toEqual([
      '100644 README.md',
      '100644 src/a.js',
      '100644 src/deep/new.js',
    ])
    expect(show(source, await checkout.takeTree(), 'src/a.js')).toBe('a = 10\n')
  })

  it('sees an edit of equal size that is made at once', async () => {
    const source = aRepository(FILES)
    const checkout = await aStagedCheckout(source)
    for (const digit of ['7', '8', '9']) {
      writeFiles(checkout.files, { 'src/a.js': `a = ${digit}\n` })
      expect(show(source, await checkout.takeTree(), 'src/a.js')).toBe(`a = ${digit}\n`)
    }
  })

  it('leaves the index, the work tree and the config of the user as they are', async () => {
    const source = aRepository(FILES)
    writeFiles(source, { 'src/a.js': 'half done', 'staged.txt': 'x', 'new.txt': 'y' })
    git(source, 'add', 'staged.txt')
    const look = (): unknown[] => [
      readFileSync(join(source, '.git/index')).toString('hex'),
      readFileSync(join(source, '.git/config'), 'utf8'),
      git(source, 'status', '--porcelain'),
    ]
    git(source, 'status')
    const before = look()
    const checkout = await aStagedCheckout(source)
    writeFiles(checkout.files, { 'src/b.js': 'changed\n' })
    expect(await checkout.takeFiles()).not.toContain('100644 staged.txt')
    expect(look()).toEqual(before)
  })
})

describe('what is left out of the tree', () => {
  it('leaves out ignored files, but not tracked ones that a pattern happens to match', async () => {
    const source = aRepository({ ...FILES, 'keep.log': 'tracked\n' })
    writeFiles(source, { '.gitignore': '*.log\nout/\n' })
    git(source, 'add', '.gitignore')
    git(source, 'commit', '-qm', 'ignore')
    const checkout = await aStagedCheckout(source)
    writeFiles(checkout.files, { 'run.log': 'x', 'out/big.bin': 'x', 'keep.log': 'other\n' })
    const tree = await checkout.takeTree()
    expect(git(source, 'diff-tree', '-r', '--name-only', checkout.rootTree, tree)).toBe('keep.log')
  })

  it('leaves out what the set-up made, without any ignore file', async () => {
    const odd = ['[a]*?', ' space ', '#hash', '!bang', 'tab\there', 'back\\slash', 'ünïcode']
    const source = aRepository(FILES)
    const checkout = await aStagedCheckout(source, (files) => {
      writeFiles(files, { 'node_modules/x/index.js': 'x', 'src/generated.js': 'g' })
      for (const name of odd) writeFileSync(join(files, name), 'product')
    })
    expect(await checkout.takeTree()).toBe(checkout.rootTree)
    writeFiles(checkout.files, {
      'node_modules/x/index.js': 'edited',
      'src/generated.js': 'edited',
      a: 'new',
    })
    expect(git(source, 'diff-tree', '-r', '--name-only', checkout.rootTree, await checkout.takeTree())).toBe(
      'a',
    )
  })

  it('takes no setting for ignored files from the user', async () => {
    const source = aRepository(FILES)
    writeFiles(source, { '.git/info/exclude': '*.js\n', 'global-ignore': '*\n' })
    git(source, 'config', 'core.excludesFile', join(source, 'global-ignore'))
    const checkout = await aStagedCheckout(source)
    writeFiles(checkout.files, { 'src/new.js': 'n' })
    expect(await checkout.takeFiles()).toContain('100644 src/new.js')
  })
})

describe('bytes and modes', () => {
  it('changes no byte, whatever attributes, line ends and filters say', async () => {
    const source = aRepository({ 'crlf.txt': 'one\r\ntwo\r\n', 'ident.txt': '$Id$\n', 'lf.bat': 'x\n' })
    writeFiles(source, {
      '.gitattributes': '* text=auto eol=crlf\n*.txt ident filter=shout\n*.bat text\n',
    })
    git(source, 'config', 'filter.shout.clean', 'tr a-z A-Z')
    git(source, 'config', 'filter.shout.smudge', 'tr a-z A-Z')
    git(source, 'config', 'core.autocrlf', 'true')
    git(source, '-c', 'core.autocrlf=false', 'add', '.gitattributes')
    git(source, 'commit', '-qm', 'attributes')
    const checkout = await aStagedCheckout(source)
    expect(await checkout.takeTree()).toBe(checkout.rootTree)
    expect(readFileSync(join(checkout.files, 'crlf.txt'), 'latin1')).toBe('one\r\ntwo\r\n')
    const texts = {
      'crlf.txt': 'mixed\r\nends\n\r',
      'ident.txt': '$Id: abc $\n',
      'lf.bat': 'y\n',
      'new.txt': 'a\r\n',
    }
    writeFiles(checkout.files, texts)
    const tree = await checkout.takeTree()
    for (const [path, text] of Object.entries(texts)) expect(show(source, tree, path)).toBe(text)
  })

  it('keeps the mode of existing files and makes new ones plain', async () => {
    const source = aRepository({ ...FILES, 'tool.sh': 'echo\n' })
    git(source, 'update-index', '--chmod=+x', 'tool.sh')
    git(source, 'commit', '-qm', 'executable')
    const checkout = await aStagedCheckout(source)
    chmodSync(join(checkout.files, 'tool.sh'), 0o600)
    chmodSync(join(checkout.files, 'src/a.js'), 0o777)
    writeFileSync(join(checkout.files, 'new.sh'), 'x', { mode: 0o755 })
    writeFiles(checkout.files, { 'src/a.js': 'changed\n', 'tool.sh': 'echo changed\n' })
    expect(await checkout.takeFiles()).toEqual([
      '100644 README.md',
      '100644 new.sh',
      '100644 src/a.js',
      '100644 src/b.js',
      '100755 tool.sh',
    ])
  })

  it('shows links as links, for the guard to see', async () => {
    const checkout = await aStagedCheckout(aRepository(FILES))
    symlinkSync('/etc/passwd', join(checkout.files, 'src/link'))
    rmSync(join(checkout.files, 'src/a.js'))
    symlinkSync('b.js', join(checkout.files, 'src/a.js'))
    const files = await checkout.takeFiles()
    expect(files).toContain('120000 src/link')
    expect(files).toContain('120000 src/a.js')
  })

  it('keeps names that are odd, and names that are not UTF-8', async () => {
    const names = ['with space', '"quoted"', 'tab\t', 'line\nfeed', 'ünïcode', '-dash', 'back\\slash'].map(
      (name) => Buffer.from(name),
    )
    const latin = Buffer.from('caf\xe9.txt', 'latin1')
    const source = aRepository(FILES)
    for (const name of [...names, latin])
      writeFileSync(Buffer.concat([Buffer.from(`${source}/`), name]), 'odd')
    git(source, 'add', '-A')
    git(source, 'commit', '-qm', 'odd')
    const checkout = await aStagedCheckout(source)
    expect(await checkout.takeTree()).toBe(checkout.rootTree)
    writeFileSync(Buffer.concat([Buffer.from(`${checkout.files}/`), latin]), 'new')
    const tree = await checkout.takeTree()
    expect(git(source, 'diff-tree', '-r', '--name-only', checkout.rootTree, tree)).toBe('"caf\\351.txt"')
  })

  it('works in a repository with SHA-256 ids', async () => {
    const source = join(aRepository(FILES), 'sha256')
    mkdirSync(source)
    git(source, 'init', '-q', '--object-format=sha256')
    writeFiles(source, FILES)
    git(source, 'add', '-A')
    git(source, 'commit', '-qm', 'start')
    const checkout = await aStagedCheckout(source)
    expect(await checkout.takeTree()).toBe(checkout.rootTree)
    expect(checkout.rootTree).toHaveLength(64)
  })
})
