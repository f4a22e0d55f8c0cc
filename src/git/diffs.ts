import { type Repository, runInRepository } from './repository.ts'

export interface FileDiff {
  readonly status: 'added' | 'removed' | 'modified' | 'renamed' | 'changed'
  readonly path: string
  readonly previousPath: string | undefined
  /** The blob after the change, before it for a removed file. */
  readonly blob: string
  readonly additions: number
  readonly deletions: number
  /** Hunks only; undefined for binary files and pure renames. */
  readonly patch: string | undefined
}

const OPTIONS = ['-r', '-M', '--no-ext-diff', '--no-textconv', '--full-index', '--no-color']

/** The files that differ between two trees or commits, with counts and hunks, renames found. */
export async function diffFiles(repository: Repository, from: string, to: string): Promise<FileDiff[]> {
  const forms = ['--raw', '--numstat', '-p', '-z']
  const output = await runInRepository(repository, ['diff-tree', ...OPTIONS, ...forms, from, to])
  // The output lists all files raw, then all counts, and after an empty field all patches.
  const text = output.toString('utf8')
  const end = text.indexOf('\0\0')
  const fields = text.slice(0, end).split('\0')
  const { files, length } = parseRaw(fields)
  const numbers = parseCounts(fields.slice(length))
  const hunks = text
    .slice(end + 2)
    .split(/^diff --git .*\n/m)
    .slice(1)
  return files.map((file, index) => ({
    ...file,
    additions: numbers[index]?.additions ?? 0,
    deletions: numbers[index]?.deletions ?? 0,
    patch: readHunks(hunks[index] ?? ''),
  }))
}

/** The diff, or the mails of `format-patch`, as text. */
export async function renderDiff(
  repository: Repository,
  range: { readonly from: string; readonly to: string },
  form: 'diff' | 'patch',
): Promise<Buffer> {
  const { from, to } = range
  return form === 'diff'
    ? await runInRepository(repository, ['diff-tree', ...OPTIONS, '-p', from, to])
    : await runInRepository(repository, ['format-patch', '--stdout', '--no-ext-diff', `${from}..${to}`])
}

/** The change between two trees as a patch with a summary of the files before it, for people. */
export async function renderDiffWithStat(repository: Repository, from: string, to: string): Promise<string> {
  const args = ['diff-tree', '-p', '--stat', '--no-ext-diff', '--no-textconv', '-M', from, to]
  return (await runInRepository(repository, args)).toString('utf8')
}

type RawFile = Omit<FileDiff, 'additions' | 'deletions' | 'patch'>

const STATUS: Readonly<Record<string, FileDiff['status']>> = {
  A: 'added',
  D: 'removed',
  R: 'renamed',
  T: 'changed',
}

// `:100644 100644 <old> <new> M\0path\0`, with two paths after an R.
function parseRaw(parts: readonly string[]): { files: RawFile[]; length: number } {
  const files: RawFile[] = []
  let at = 0
  while ((parts[at] ?? '').startsWith(':')) {
    const [, , before = '', after = '', letter = 'M'] = (parts[at] ?? '').split(' ')
    const status = STATUS[letter.slice(0, 1)] ?? 'modified'
    const first = parts[at + 1] ?? ''
    const renamed = status === 'renamed'
    files.push({
      status,
      path: renamed ? (parts[at + 2] ?? '') : first,
      previousPath: renamed ? first : undefined,
      blob: status === 'removed' ? before : after,
    })
    at += renamed ? 3 : 2
  }
  return { files, length: at }
}

// `3\t1\tpath\0`, or `3\t1\t\0old\0new\0` for a rename; `-` counts a binary file.
function parseCounts(parts: readonly string[]): { additions: number; deletions: number }[] {
  const found: { additions: number; deletions: number }[] = []
  for (let at = 0; at < parts.length; at++) {
    const [additions, deletions, path] = (parts[at] ?? '').split('\t')
    if (additions === undefined || deletions === undefined) continue
    found.push({ additions: Number(additions) || 0, deletions: Number(deletions) || 0 })
    if (path === '') at += 2
  }
  return found
}

function readHunks(text: string): string | undefined {
  const start = text.search(/^@@ /m)
  return start < 0 ? undefined : text.slice(start).replace(/\n$/, '')
}
