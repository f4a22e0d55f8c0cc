import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Campaign } from '../src/core/campaign/campaign.ts'
import { LoreleyError } from '../src/errors.ts'
import type { GitEnvironment } from '../src/git/command.ts'
import { commitFolder } from '../src/git/new-repository.ts'
import { readCommit } from '../src/git/objects/commits.ts'
import { findCommit } from '../src/git/repository.ts'
import type { OpenGit } from '../src/store/open-git.ts'

const FILES = 60
const FOLDERS = 6
const LINES = 60

/** A repository of 60 files of 60 lines in six folders below src/, with one commit. */
export async function createSampleRepository(folder: string, environment: GitEnvironment): Promise<void> {
  for (let index = 0; index < FILES; index++) {
    const place = join(folder, 'src', `part-${index % FOLDERS}`)
    await mkdir(place, { recursive: true })
    const lines = Array.from(
      { length: LINES },
      (_, line) => `export const v${line} = ${index * LINES + line}\n`,
    )
    await writeFile(join(place, `file-${index}.js`), lines.join(''))
  }
  await commitFolder(folder, 'sixty files', environment)
}

/** The commit that a campaign on this repository starts from. */
export async function readRoot({ repository, objects }: OpenGit): Promise<Campaign['root']> {
  const commit = await findCommit(repository, 'HEAD')
  if (commit === undefined)
    throw new LoreleyError('repository-empty', 'There is no commit to start from.', 'Commit something first.')
  const { tree, committerSeconds } = await readCommit(objects, commit)
  return { commit, tree, seconds: committerSeconds }
}
