import { LoreleyError } from '../errors.ts'
import { type GitEnvironment, type GitOutcome, runGit, tryGit } from './command.ts'

/** A repository on this machine. `commonDir` holds objects and refs, also when opened from a worktree. */
export interface Repository {
  readonly folder: string
  readonly commonDir: string
  readonly objectFormat: string
  readonly environment: GitEnvironment
}

/** Opens the repository of a folder, whether bare, with worktrees, or with a detached or unborn HEAD. */
export async function openRepository(folder: string, environment: GitEnvironment): Promise<Repository> {
  const args = ['rev-parse', '--path-format=absolute', '--git-common-dir', '--show-object-format']
  const outcome = await tryGit({ args, environment, cwd: folder })
  const [commonDir, objectFormat] = outcome.stdout.toString('utf8').trimEnd().split('\n')
  if (outcome.exitCode !== 0 || commonDir === undefined || objectFormat === undefined) {
    throw new LoreleyError(
      'not-a-repository',
      `${folder} is not inside a git repository: ${outcome.stderr.trim()}`,
      'Run this inside a git repository, or name one with --repo.',
    )
  }
  return { folder, commonDir, objectFormat, environment }
}

/** The top of the work tree around a folder; undefined in a bare repository and outside of one. */
export async function findWorkTree(folder: string, environment: GitEnvironment): Promise<string | undefined> {
  const args = ['rev-parse', '--path-format=absolute', '--show-toplevel']
  const outcome = await tryGit({ args, environment, cwd: folder })
  const top = outcome.stdout.toString('utf8').replace(/\n$/, '')
  return outcome.exitCode === 0 && top !== '' ? top : undefined
}

/** Runs git on the repository's objects and refs, without work tree or index. */
export async function runInRepository(
  repository: Repository,
  args: readonly string[],
  stdin?: string | Uint8Array,
): Promise<Buffer> {
  return await runGit({ ...callOn(repository, args), ...(stdin === undefined ? {} : { stdin }) })
}

/** The same, with any exit code as a value. */
export async function tryInRepository(repository: Repository, args: readonly string[]): Promise<GitOutcome> {
  return await tryGit(callOn(repository, args))
}

function callOn(repository: Repository, args: readonly string[]) {
  return {
    args: [`--git-dir=${repository.commonDir}`, ...args],
    environment: repository.environment,
    cwd: repository.commonDir,
  }
}

/** The commit of a revision, as seen from the opened folder; undefined when there is none. */
export async function findCommit(repository: Repository, revision: string): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]
  const outcome = await tryGit({ args, environment: repository.environment, cwd: repository.folder })
  const id = outcome.stdout.toString('utf8').trim()
  return outcome.exitCode === 0 && id !== '' ? id : undefined
}

/** The object a full ref name points at; undefined when the ref does not exist. */
export async function findRef(repository: Repository, ref: string): Promise<string | undefined> {
  const outcome = await tryInRepository(repository, [
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    ref,
  ])
  const id = outcome.stdout.toString('utf8').trim()
  return outcome.exitCode === 0 && id !== '' ? id : undefined
}

/** All refs under a prefix such as `refs/heads/loreley/elite/`, by name. */
export async function listRefs(repository: Repository, prefix: string): Promise<ReadonlyMap<string, string>> {
  const output = await runInRepository(repository, [
    'for-each-ref',
    '--format=%(objectname) %(refname)',
    prefix,
  ])
  const lines = output.toString('utf8').split('\n').filter(Boolean)
  return new Map(lines.map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]))
}

/** The files of the work tree under the opened folder, tracked or new, but not ignored. */
export async function listWorkFiles({ folder, environment }: Repository): Promise<string[]> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  return (await runGit({ args, environment, cwd: folder })).toString('utf8').split('\0').filter(Boolean)
}
