import { copyFile, lstat, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runGit } from './command.ts'
import type { Repository } from './repository.ts'

/**
 * A private git folder that turns a work folder into a tree of the repository: objects go to the
 * repository, but its index, config, attributes and ignore files are our own. So the user's index is never
 * touched, no filter driver or line-end setting changes a byte, and no hook of theirs runs.
 */
export interface StagingArea {
  readonly repository: Repository
  readonly folder: string
}

// Existing files keep their mode and new ones are plain files, whatever an agent's tools did to them.
// Copies have other inodes and change times than the original: size and date tell whether a file changed.
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

/** Makes a staging area in a new folder. */
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

/** Leaves out of every later stage what is in the folder now but not in the tree: the set-up's products. */
export async function excludeUntracked(area: StagingArea, workFolder: string): Promise<void> {
  const run = indexRunner(area, join(area.folder, 'root-index'), workFolder)
  const output = await run(['ls-files', '--others', '--directory', '--no-empty-directory', '-z'])
  const lines = output.toString('utf8').split('\0').filter(Boolean).map(toIgnorePattern)
  await writeFile(join(area.folder, 'info', 'exclude'), lines.map((line) => `${line}\n`).join(''))
}

/** A folder whose tree is wanted. */
export interface FolderToStage {
  readonly files: string
  /** Overwritten. */
  readonly indexFile: string
  /** Tracked files that the folder was made without: their absence is no deletion. */
  readonly withheld: readonly string[]
}

/** The tree of a work folder: everything that is tracked or new, but not ignored. */
export async function writeTreeOf(area: StagingArea, folder: FolderToStage): Promise<string> {
  const { files, indexFile, withheld } = folder
  await copyFile(join(area.folder, 'root-index'), indexFile)
  const run = indexRunner(area, indexFile, files)
  // What somebody put in the place of a withheld file is a change like any other, and seen as one.
  const present = await Promise.all(withheld.map((path) => isThere(join(files, path))))
  const absent = withheld.filter((_, index) => present[index] !== true)
  if (absent.length > 0) await run(['update-index', '--skip-worktree', '-z', '--stdin'], absent.join('\0'))
  await run(['add', '--all', '--', '.'])
  return (await run(['write-tree'])).toString('utf8').trim()
}

/** The paths at which a folder is not what a tree says, apart from what it was made without. */
export async function findDifferences(
  area: StagingArea,
  { files, indexFile, withheld }: FolderToStage,
  tree: string,
): Promise<string[]> {
  await copyFile(join(area.folder, 'root-index'), indexFile)
  const run = indexRunner(area, indexFile, files)
  // What is the root's is known by size and date, the rest is read.
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
  const place = [`--git-dir=${folder}`, `--work-tree=${workFolder}`]
  return (args: readonly string[], stdin = ''): Promise<Buffer> =>
    runGit({ args: [...settings, ...place, ...args], environment, cwd: workFolder, stdin })
}

/** A path as a line of an ignore file, anchored, its special characters taken literally. */
function toIgnorePattern(path: string): string {
  return `/${path.replaceAll(/[\\*?[\]! #]/g, '\\$&')}`
}
