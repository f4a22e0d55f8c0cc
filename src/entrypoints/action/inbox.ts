import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readPlainFile } from '../../pipeline/plain-file.ts'
import type { ArtifactReading } from '../../protocol/artifact.ts'
import { PROPOSAL_LIMITS, type ProposalDocument, readProposal } from '../../protocol/proposal.ts'

/** Reads the proposal that was handed on: one plain file of bounded size, and nothing beside it. */
export async function readInbox(inbox: string): Promise<ArtifactReading<ProposalDocument>> {
  const names = await readdir(inbox).catch(() => [])
  if (names.length !== 1 || names[0] !== 'proposal.json')
    return { status: 'unreadable', detail: 'it is not one file proposal.json' }
  // One byte more than there may be: who reads it says that it is too large. A link cannot be opened.
  const read = readPlainFile(join(inbox, 'proposal.json'), PROPOSAL_LIMITS.documentBytes + 1)
  const bytes = await read.catch(() => undefined)
  return bytes === undefined
    ? { status: 'unreadable', detail: 'proposal.json is no plain file' }
    : readProposal(bytes)
}
