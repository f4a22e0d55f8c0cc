import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type GitCall, type GitEnvironment, runGit } from './command.ts'
import { openRepository, type Repository } from './repository.ts'

/**
 * Makes a bare repository that reads the objects of others and writes its own. Nothing else of theirs is used:
 * no config, no hook, no attribute file, no index of a checkout can change what we do.
 */
export async function createBorrowingRepository(
  folder: string,
  objectFolders: readonly string[],
  environment: GitEnvironment,
): Promise<Repository> {
  // Whole histories are in reach of it, held-out files too: it is for no other user of the machine.
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const init = ['init', '-q', '--bare', '--template=', folder]
  await runGit({ args: init, environment })
  await mkdir(join(folder, 'objects', 'info'), { recursive: true })
  const alternates = objectFolders.map((each) => `${each}\n`).join('')
  await writeFile(join(folder, 'objects', 'info', 'alternates'), alternates)
  return await openRepository(folder, environment)
}

/** What is fetched from where, and the header that opens the door. */
export interface FetchRequest {
  readonly url: string
  readonly authorization?: string | undefined
  /** By id, or as git writes what a ref is fetched to. */
  readonly commits: readonly string[]
}

/** Fetches commits with all their files, without history. `run` starts git and throws when it fails. */
export async function fetchCommits(
  { commonDir, environment }: Repository,
  order: FetchRequest,
  run: (call: GitCall) => Promise<unknown>,
): Promise<void> {
  const what = ['--depth=1', '--no-tags', order.url, ...order.commits]
  await run({
    args: [`--git-dir=${commonDir}`, 'fetch', '-q', ...what],
    environment: { ...environment, ...PATIENCE, ...authorize(order) },
    cwd: commonDir,
  })
}

// A server that says nothing any more fails the fetch, instead of holding the job until its time is over.
const PATIENCE: GitEnvironment = { GIT_HTTP_LOW_SPEED_LIMIT: '1', GIT_HTTP_LOW_SPEED_TIME: '60' }

// In the environment of this one process: on the command line every user of the machine could read it.
function authorize({ url, authorization }: FetchRequest): GitEnvironment {
  if (authorization === undefined) return {}
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${new URL(url).origin}/.extraheader`,
    GIT_CONFIG_VALUE_0: `AUTHORIZATION: ${authorization}`,
  }
}
