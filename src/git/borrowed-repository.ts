import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type GitEnvironment, runGit } from './command.ts'
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
  const init = ['init', '-q', '--bare', '--template=', folder]
  await runGit({ args: init, environment })
  await mkdir(join(folder, 'objects', 'info'), { recursive: true })
  const alternates = objectFolders.map((each) => `${each}\n`).join('')
  await writeFile(join(folder, 'objects', 'info', 'alternates'), alternates)
  return await openRepository(folder, environment)
}

/** Where commits are fetched from, and the header that opens the door. */
export interface Remote {
  readonly url: string
  readonly authorization?: string | undefined
}

/** Fetches commits by id with all their files, without history. */
export async function fetchCommits(
  repository: Repository,
  remote: Remote,
  commits: readonly string[],
): Promise<void> {
  await runGit({
    args: [
      `--git-dir=${repository.commonDir}`,
      'fetch',
      '-q',
      '--depth=1',
      '--no-tags',
      remote.url,
      ...commits,
    ],
    environment: { ...repository.environment, ...authorize(remote) },
    cwd: repository.commonDir,
  })
}

// In the environment of this one process: on the command line every user of the machine could read it.
function authorize({ url, authorization }: Remote): GitEnvironment {
  if (authorization === undefined) return {}
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${new URL(url).origin}/.extraheader`,
    GIT_CONFIG_VALUE_0: `AUTHORIZATION: ${authorization}`,
  }
}
