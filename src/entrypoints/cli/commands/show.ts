import type { LedgerEntry } from '../../../core/campaign/ledger.ts'
import { candidateId } from '../../../core/candidate/candidate-id.ts'
import { findLater, findLineage } from '../../../core/planning/lineage.ts'
import { LoreleyError } from '../../../errors.ts'
import { renderDiffWithStat } from '../../../git/diffs.ts'
import { findInTree } from '../../../git/objects/trees.ts'
import { renderCandidate } from '../../../reports/candidate/candidate-text.ts'
import { transcriptPath } from '../../../store/layout.ts'
import type { Snapshot } from '../../../store/state-store.ts'
import { print, printJson } from '../print.ts'
import { loadCampaign, type Session, withSession } from '../session.ts'

export interface ShowOptions {
  readonly campaign?: string
  readonly against: 'parent' | 'root'
  readonly transcript?: true
  readonly json?: true
}

/** `loreley show`: everything about one candidate. */
export async function show(repo: string, candidate: string, options: ShowOptions): Promise<void> {
  const wanted = parseCandidate(candidate)
  await withSession(repo, async (session) => {
    const snapshot = await loadCampaign(session, wanted.campaign ?? options.campaign)
    const entries = new Map<number, LedgerEntry>()
    for await (const entry of session.git.store.readLedger(snapshot)) entries.set(entry.ordinal, entry)
    const entry = entries.get(wanted.ordinal)
    if (entry === undefined) throw notFinished(snapshot, wanted.ordinal)
    if (options.transcript) return print(await readTranscript(session, snapshot, entry))
    const lineage = findLineage(entry, entries)
    const again = findLater(entries, entry.ordinal)
    if (options.json) {
      return printJson({ ...entry, again, lineage: lineage.map(({ ordinal }) => ordinal) })
    }
    print(renderCandidate(snapshot.state, { entry, lineage, again }))
    print(await diffOf(session, snapshot, entries, entry, options.against))
  })
}

async function readTranscript(
  { git }: Session,
  { revision, state }: Snapshot,
  { ordinal }: LedgerEntry,
): Promise<string> {
  const { folder } = revision
  const found = folder && (await findInTree(git.objects, folder, transcriptPath(ordinal)))
  if (found) return (await git.objects.get(found.id, 'blob')).toString('utf8')
  const id = candidateId(state.campaign.id, ordinal)
  return `${id} has no transcript: its agent used no model, or the transcript was not kept.`
}

async function diffOf(
  { git }: Session,
  { state }: Snapshot,
  entries: ReadonlyMap<number, LedgerEntry>,
  entry: LedgerEntry,
  against: ShowOptions['against'],
): Promise<string> {
  if (entry.tree === undefined || entry.ordinal === 0) return ''
  const parent = against === 'root' ? undefined : entries.get(entry.parent)?.tree
  // No commit keeps the tree of a failed candidate, so it may be gone.
  if ((await git.objects.find(entry.tree)) === undefined) return '(its files were not kept)'
  return await renderDiffWithStat(git.repository, parent ?? state.campaign.root.tree, entry.tree)
}

function parseCandidate(text: string): { campaign?: string; ordinal: number } {
  const [, campaign, ordinal] = /^(?:([a-z0-9-]+)-)?(\d+)$/.exec(text) ?? []
  if (ordinal === undefined) {
    throw new LoreleyError(
      'usage',
      `${text} is not a candidate id.`,
      'Use an ordinal such as 42, or an id such as default-0042.',
    )
  }
  return { ...(campaign === undefined ? {} : { campaign }), ordinal: Number(ordinal) }
}

function notFinished({ state }: Snapshot, ordinal: number): LoreleyError {
  const id = candidateId(state.campaign.id, ordinal)
  const message = state.jobs.has(ordinal) ? `${id} has not finished yet.` : `There is no candidate ${id}.`
  return new LoreleyError(
    'candidate-unknown',
    message,
    `The ledger has ${state.ledger.count} candidates. See \`loreley status\`.`,
  )
}
