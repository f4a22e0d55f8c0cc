import { removeCampaign, removeWork } from '../../../local/clean.ts'
import { placesOf } from '../../../local/places.ts'
import { loadCampaign, loadConfigFile, pickCampaign, type Session, withSession } from '../session.ts'

/** `loreley clean`: removes what the local host left on disk; with --all the campaign as well. */
export async function clean(repo: string, name: string | undefined, { all }: { all?: true }): Promise<void> {
  await withSession(repo, async (session) => {
    const campaign = name ?? (await findOnlyCampaign(session))
    const places = placesOf(session.git.repository, session.host.cacheFolder, campaign)
    if (!all) {
      await removeWork(places, campaign)
      return console.log(`Removed the work folders of ${campaign}. Its branches and state are untouched.`)
    }
    const refs = await removeCampaign(session.git, places, campaign)
    console.log(`Removed ${campaign}: work folders, ${refs} refs and its state.`)
  })
}

async function findOnlyCampaign(session: Session): Promise<string> {
  const names = await session.git.store.list()
  if (names.length === 0) return pickCampaign(await loadConfigFile(session), undefined).name
  return (await loadCampaign(session, undefined)).state.campaign.id
}
