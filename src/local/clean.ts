import { LoreleyError } from '../errors.ts'
import { listRefs } from '../git/repository.ts'
import { removeFolder } from '../process/disk/remove-folder.ts'
import { killOwned } from '../process/kill.ts'
import { keepRefs } from '../store/layout.ts'
import { listElites } from '../store/local-refs.ts'
import type { OpenGit } from '../store/open-git.ts'
import type { LocalFolders } from './local-folders.ts'
import { acquireLock } from './lock.ts'

/** Removes a campaign's folders and kills everything that still runs in them. Refused while the campaign runs. */
export async function removeWork(folders: LocalFolders, campaign: string): Promise<void> {
  const lock = await acquireLock(folders.lock, campaign)
  try {
    await killOwned(folders.workspaces)
    await removeFolder(folders.campaign)
  } finally {
    await lock.release()
  }
}

/** Removes everything of a campaign: folders, elite branches, kept candidates, state. Returns the number of refs. */
export async function removeCampaign(git: OpenGit, folders: LocalFolders, campaign: string): Promise<number> {
  await removeWork(folders, campaign)
  const lock = await acquireLock(folders.lock, campaign)
  try {
    // The state goes last: while it exists, a removal that was cut off can be repeated.
    const elites = await listElites(git.repository, campaign)
    const kept = await listRefs(git.repository, keepRefs(campaign))
    const refs = [...elites, ...kept]
    const outcome = await git.refs.apply(refs.map(([ref, id]) => ({ ref, to: undefined, from: id })))
    if (outcome.status === 'refused') {
      throw new LoreleyError(
        'git-failed',
        `The refs of ${campaign} cannot be removed: ${outcome.detail}`,
        'Remove stale lock files below .git/refs, then run the command again. The state was not removed.',
      )
    }
    await git.store.remove(campaign, new Date())
    return refs.length
  } finally {
    await lock.release()
  }
}
