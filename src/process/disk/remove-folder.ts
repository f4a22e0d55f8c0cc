import { rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { LoreleyError } from '../../errors.ts'
import { tryProgram } from '../try-program.ts'

// A process that is being killed may still write.
const TRIES = 5
const RETRY_MS = 100

/**
 * Removes a folder of our own user, or a file, with everything that candidate code left there. Node names files by whole
 * path in UTF-8, so it fails on folders nested deeper than the longest path, on names that are not UTF-8, and on folders
 * without permissions. The system's own programs walk from folder to folder and remove those too.
 */
export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true })
    return
  } catch {
    // Whatever the reason, the programs below try again and give theirs.
  }
  let failure: string | undefined
  for (let tries = 0; tries < TRIES; tries++) {
    await delay(tries * RETRY_MS)
    await tryProgram(['/bin/chmod', '-R', 'u+rwX', '--', folder], {})
    failure = await tryProgram(['/bin/rm', '-rf', '--', folder], {})
    if (failure === undefined) return
  }
  throw new LoreleyError(
    'internal',
    `${folder} cannot be removed: ${failure}`,
    'Remove it by hand, then run the command again. It resumes.',
  )
}
