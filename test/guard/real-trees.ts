import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { gitEnvironment } from '../support/repository.ts'

/** One entry of a tree as git stores it: any name, any mode. A list of entries is a folder. */
export interface TreeEntry {
  readonly name: string | Buffer
  readonly mode?: string
  readonly content: string | Buffer | readonly TreeEntry[]
}

/** Writes a tree with plumbing alone, so that names and modes which git's porcelain refuses can be tried. */
export function writeTree(folder: string, entries: readonly TreeEntry[]): string {
  const lines = entries.map(({ name, mode, content }) => {
    const head = isFolder(content)
      ? `040000 tree ${writeTree(folder, content)}`
      : `${mode ?? '100644'} ${mode === '160000' ? `commit ${'1'.repeat(40)}` : `blob ${writeBlob(folder, content)}`}`
    return Buffer.concat([Buffer.from(`${head}\t`), Buffer.from(name), Buffer.from([0])])
  })
  return ask(folder, ['mktree', '-z', '--missing'], Buffer.concat(lines))
}

function isFolder(content: TreeEntry['content']): content is readonly TreeEntry[] {
  return Array.isArray(content)
}

function writeBlob(folder: string, content: string | Buffer): string {
  return ask(folder, ['hash-object', '-w', '--stdin'], Buffer.from(content))
}

// Most of what random trees hold was written before, and starting git is what takes the time.
const written = new Map<string, string>()

function ask(folder: string, args: string[], input: Buffer): string {
  const key = [folder, ...args, createHash('sha256').update(input).digest('hex')].join('\0')
  const known = written.get(key)
  if (known !== undefined) return known
  const id = execFileSync('git', args, { cwd: folder, env: gitEnvironment, input }).toString('utf8').trim()
  written.set(key, id)
  return id
}
