import { copyFile, lstat, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runGit } from './command.ts'
import type { Repository } from './repository.ts'

/**
 * A private git folder that turns a workspace into a tree of the repository: objects go to the repository, but index,
 * config, attributes and ignore files are our own. So we never touch the user's index, no filter or line-end setting
 * changes a byte, and no hook of theirs runs.
 */
export interface StagingArea {
  readonly repository: Repository
  readonly folder: string
}

// Existing files keep their mode and new ones are plain files, whatever an agent's tools did to them. Copies differ from
// the original in inode and change time, so size and date decide whether a file changed.
const SETTINGS = {
  'core.fileMode': 'false',
  'core.checkStat': 'minimal',
  'core.trustctime': 'false',
  'core.autocrlf': 'false',
  'core.protectHFS': 'true',
  'core.protectNTFS': 'true',
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
}

const RAW_BYTES = '* -text -filter -ident -working-tree-encoding -eol\n'

/** Creates a staging area in a new folder. */
export async function createStagingArea(repository: Repository, folder: string): Promise<StagingArea> {
  const { environment, objectFormat } = repository
  const init = ['init', '-q', '--bare', '--template=', `--object-format=${objectFormat}`, folder]
  await runGit({ args: init, environment })
  await mkdir(join(folder, 'info'), { recursive: true })
  await writeFile(join(folder, 'info', 'attributes'), RAW_BYTES)
  return { repository, folder }
}

/** Writes an index of the root's tree that knows the files of a checkout by size and date. */
export async function createRootIndex(area: StagingArea, tree: string, workFolder: string): Promise<void> {
  const run = indexRunner(area, join(area.folder, 'root-index'), workFolder)
  await run(['read-tree', tree])
  await run(['update-index', '-q', '--refresh'])
}

/** Excludes untracked files of the folder, which the setup created, from every later stage. */
export async function excludeUntracked(area: StagingArea, workFolder: string): Promise<void> {
  const run = indexRunner(area, join(area.folder, 'root-index'), workFolder)
  const output = await run(['ls-files', '--others', '--directory', '--no-empty-directory', '-z'])
  const lines = output.toString('utf8').split('\0').filter(Boolean).map(toIgnorePattern)
  await writeFile(join(area.folder, 'info', 'exclude'), lines.map((line) => `${line}\n`).join(''))
}

/** A folder to stage. */
export interface FolderToStage {
  readonly files: string
  /** Overwritten. */
  readonly indexFile: string
  /** Tracked files that were left out of the folder: their absence is no deletion. */
  readonly withheld: readonly string[]
}

/** The tree of a workspace: everything tracked or new, but not ignored. */
export async function writeTreeOf(area: StagingArea, folder: FolderToStage): Promise<string> {
  const { files, indexFile, withheld } = folder
  await copyFile(join(area.folder, 'root-index'), indexFile)
  const run = indexRunner(area, indexFile, files)
  // A new file at a withheld path is a change like any other.
  const present = await Promise.all(withheld.map((path) => isThere(join(files, path))))
  const absent = withheld.filter((_, index) => present[index] !== true)
  if (absent.length > 0) await run(['update-index', '--skip-worktree', '-z', '--stdin'], absent.join('\0'))
  await run(['add', '--all', '--', '.'])
  return (await run(['write-tree'])).toString('utf8').trim()
}

/** The paths at which a folder differs from a tree, apart from withheld ones. */
export async function findDifferences(
  area: StagingArea,
  { files, indexFile, withheld }: FolderToStage,
  tree: string,
): Promise<string[]> {
  await copyFile(join(area.folder, 'root-index'), indexFile)
  const run = indexRunner(area, indexFile, files)
  // Unchanged files are known by size and date; the rest is read.
  await run(['read-tree', '-i', '-m', tree])
  await run(['update-index', '-q', '--refresh'])
  const paths = (await run(['diff-files', '--name-only', '-z'])).toString('utf8').split('\0')
  return paths.filter((path) => path !== '' && !withheld.includes(path))
}

async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  )
}

function indexRunner({ repository, folder }: StagingArea, indexFile: string, workFolder: string) {
  const environment = {
    ...repository.environment,
    GIT_INDEX_FILE: indexFile,
    GIT_OBJECT_DIRECTORY: join(repository.commonDir, 'objects'),
  }
  const settings = Object.entries(SETTINGS).flatMap(([key, value]) => ['-c', `${key}=${value}`])
  const location = [`--git-dir=${folder}`, `--work-tree=${workFolder}`]
  return (args: readonly string[], stdin = ''): Promise<Buffer> =>
    runGit({ args: [...settings, ...location, ...args], environment, cwd: workFolder, stdin })
}

/** A path as a line of an ignore file, anchored, its special characters taken literally. */
function toIgnorePattern(path: string): string {
  return `/${path.replaceAll(/[\\*?[\]! #]/g, '\\$&')}`
}
