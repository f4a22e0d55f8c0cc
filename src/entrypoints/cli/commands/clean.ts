import { removeCampaign, removeWork } from '../../../local/clean.ts'
import { localFolders } from '../../../local/local-folders.ts'
import { loadConfigFile, pickCampaign, type Session, unknownCampaign, withSession } from '../session.ts'

/** `loreley clean`: removes what the local host left on disk; with --all also the campaign. */
export async function clean(repo: string, name: string | undefined, { all }: { all?: true }): Promise<void> {
  await withSession(repo, async (session) => {
    const campaign = await findCampaign(session, name)
    const folders = localFolders(session.git.repository, session.host.cacheFolder, campaign)
    if (!all) {
      await removeWork(folders, campaign)
      return console.log(`Removed the workspaces of ${campaign}. Its branches and state are untouched.`)
    }
    const refs = await removeCampaign(session.git, folders, campaign)
    console.log(`Removed ${campaign}: workspaces, ${refs} refs and its state.`)
  })
}

// The name becomes part of a path that is removed, so it must be known. Without state, the config knows it. An unreadable
// state is no obstacle: it may be what needs cleaning.
async function findCampaign(session: Session, name: string | undefined): Promise<string> {
  const names = await session.git.store.list()
  const chosen = name ?? (names.length === 1 ? names[0] : undefined)
  if (chosen !== undefined && names.includes(chosen)) return chosen
  if (names.length > 0 && name === undefined) throw unknownCampaign(name, names, 'loreley/state')
  return pickCampaign(await loadConfigFile(session), name).name
}
