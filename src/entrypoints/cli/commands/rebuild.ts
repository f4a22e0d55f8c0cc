import type { LedgerEntry } from '../../../core/campaign.ts'
import { rebuild as rebuildArchive } from '../../../core/rebuild.ts'
import { encodeArchive } from '../../../store/encode.ts'
import { loadCampaign, withSession } from '../session.ts'

/** `loreley rebuild`: recomputes the archive from the ledger and says whether the bytes agree. */
export async function rebuild(
  repo: string,
  name: string | undefined,
  { json }: { json?: true },
): Promise<void> {
  await withSession(repo, async (session) => {
    const snapshot = await loadCampaign(session, name)
    const { config, archive, campaign } = snapshot.state
    const entries: LedgerEntry[] = []
    for await (const entry of session.git.store.readLedger(snapshot)) entries.push(entry)
    const rebuilt = encodeArchive(rebuildArchive(config, archive.shape, entries), campaign.epoch)
    const agrees = rebuilt === snapshot.revision.documents.get('archive.json')
    process.exitCode = agrees ? 0 : 1
    if (json)
      return console.log(JSON.stringify({ campaign: campaign.id, agrees, candidates: entries.length }))
    console.log(
      agrees
        ? `archive.json of ${campaign.id} agrees with its ledger of ${entries.length} candidates, byte for byte.`
        : `archive.json of ${campaign.id} does NOT agree with its ledger. See who changed it: git log -p loreley/state -- campaigns/${campaign.id}/archive.json`,
    )
  })
}
