import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type GitCall, type GitEnvironment, runGit } from './command.ts'
import { openRepository, type Repository } from './repository.ts'

/**
 * Creates a bare repository that reads the objects of others and writes its own. It uses nothing else of theirs: no config,
 * hook, attribute file or index can change what we do.
 */
export async function createBorrowingRepository(
  folder: string,
  objectFolders: readonly string[],
  environment: GitEnvironment,
): Promise<Repository> {
  // It can read whole histories, including held-out files, so no other user may enter it.
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const init = ['init', '-q', '--bare', '--template=', folder]
  await runGit({ args: init, environment })
  await mkdir(join(folder, 'objects', 'info'), { recursive: true })
  const alternates = objectFolders.map((each) => `${each}\n`).join('')
  await writeFile(join(folder, 'objects', 'info', 'alternates'), alternates)
  return await openRepository(folder, environment)
}

/** What to fetch, from where, and the authorization header. */
export interface FetchRequest {
  readonly url: string
  readonly authorization?: string | undefined
  /** By id, or as `source:destination` refspecs. */
  readonly commits: readonly string[]
}

/** Fetches commits with all their files, without history. `run` starts git and throws when it fails. */
export async function fetchCommits(
  { commonDir, environment }: Repository,
  request: FetchRequest,
  run: (call: GitCall) => Promise<unknown>,
): Promise<void> {
  const what = ['--depth=1', '--no-tags', request.url, ...request.commits]
  await run({
    args: [`--git-dir=${commonDir}`, 'fetch', '-q', ...what],
    environment: { ...environment, ...PATIENCE, ...authorize(request) },
    cwd: commonDir,
  })
}

// A server that goes silent fails the fetch instead of blocking the job until its time limit.
const PATIENCE: GitEnvironment = { GIT_HTTP_LOW_SPEED_LIMIT: '1', GIT_HTTP_LOW_SPEED_TIME: '60' }

// In the environment: every user of the machine could read the command line.
function authorize({ url, authorization }: FetchRequest): GitEnvironment {
  if (authorization === undefined) return {}
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${new URL(url).origin}/.extraheader`,
    GIT_CONFIG_VALUE_0: `AUTHORIZATION: ${authorization}`,
  }
}
