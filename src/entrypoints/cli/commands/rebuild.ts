import { rebuild as rebuildFrom } from '../../../core/archive/rebuild.ts'
import type { LedgerEntry } from '../../../core/campaign/ledger.ts'
import { encodeArchive, encodeProjection } from '../../../store/encode.ts'
import { printJson } from '../print.ts'
import { loadCampaign, withSession } from '../session.ts'

/** `loreley rebuild`: recomputes the archive from the ledger and compares the bytes. */
export async function rebuild(
  repo: string,
  name: string | undefined,
  { json }: { json?: true },
): Promise<void> {
  await withSession(repo, async (session) => {
    const snapshot = await loadCampaign(session, name)
    const { state } = snapshot
    const { campaign } = state
    const entries: LedgerEntry[] = []
    for await (const entry of session.git.store.readLedger(snapshot, 'with-embeddings')) entries.push(entry)
    const { archive, projection } = rebuildFrom(state, entries)
    const { documents } = snapshot.revision
    const agrees =
      encodeArchive(archive, campaign.epoch, projection.version) === documents.get('archive.json') &&
      encodeProjection(projection) === documents.get('projection.json')
    process.exitCode = agrees ? 0 : 1
    if (json) return printJson({ campaign: campaign.id, agrees, lines: entries.length })
    console.log(
      agrees
        ? `archive.json of ${campaign.id} matches its ledger of ${entries.length} lines, byte for byte.`
        : `archive.json of ${campaign.id} does NOT match its ledger. See who changed it: git log -p loreley/state -- campaigns/${campaign.id}/archive.json`,
    )
  })
}
