import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { canonicalJson } from '../../core/canonical-json.ts'
import { cleanOutput } from '../../core/redact-secrets.ts'
import { LoreleyError } from '../../errors.ts'
import { readPlainFile } from '../../pipeline/measuring/plain-file.ts'
import { ARTIFACT_SCHEMA, type ArtifactReading } from '../../protocol/artifact.ts'
import type { RunName } from '../../protocol/dispatch.ts'
import { PROPOSAL_LIMITS, type ProposalDocument, readProposal } from '../../protocol/proposal.ts'
import { RESULT_LIMITS, type ResultDocument, readResult } from '../../protocol/result.ts'
import type { RunnerMachine } from './runner.ts'
import type { Learned } from './step.ts'

type FailedOutcome = Extract<ResultDocument['outcome'], { status: 'failed' }>

/** The fields that every document of a run begins with. */
export function headOf({ kind, candidate, nonce }: RunName, attempt: number) {
  return { schema: ARTIFACT_SCHEMA, kind, candidate, attempt, nonce } as const
}

/** The result of a run, with everything learned so far. */
export function createResult(
  run: RunName,
  { attempt, spent, secrets: _, ...learned }: Learned,
  outcome: ResultDocument['outcome'],
  runner: ResultDocument['runner'],
): ResultDocument {
  return { ...headOf(run, attempt), outcome, ...learned, runner, usage: spent }
}

/** A fault of ours or of the machine. It never counts against the candidate. The detail contains no secrets. */
export function infrastructureFailure(error: unknown, secrets: readonly string[] = []): FailedOutcome {
  const known = error instanceof LoreleyError
  const said = error instanceof Error ? error.message : String(error)
  return {
    status: 'failed',
    reason: 'infrastructure',
    code: known ? error.code : 'internal',
    detail: cleanOutput(known ? `${said}\n${error.hint}` : said, RESULT_LIMITS.detailCharacters, secrets),
  }
}

/** Writes `result.json` where the upload step expects it, after checking that the reader will accept it. */
export async function writeResult({ outbox }: RunnerMachine, document: ResultDocument): Promise<void> {
  await write(join(outbox, 'result.json'), document, readResult)
}

export async function writeProposal({ outbox }: RunnerMachine, document: ProposalDocument): Promise<void> {
  await write(join(outbox, 'proposal.json'), document, readProposal)
}

async function write(
  path: string,
  document: unknown,
  read: (bytes: Uint8Array) => { readonly status: string; readonly detail?: string },
): Promise<void> {
  const bytes = Buffer.from(canonicalJson(document))
  const reading = read(bytes)
  if (reading.status === 'read') {
    await writeFile(path, bytes)
    return
  }
  throw new LoreleyError(
    'internal',
    `The document that this run wrote does not fit its format: ${reading.detail}`,
    'This is a bug: please report it with the log of this step.',
  )
}

/** Reads the downloaded proposal: one plain file of bounded size, with nothing beside it. */
export async function readInbox(inbox: string): Promise<ArtifactReading<ProposalDocument>> {
  const names = await readdir(inbox).catch(() => [])
  if (names.length !== 1 || names[0] !== 'proposal.json')
    return { status: 'unreadable', detail: 'it is not exactly one file, proposal.json' }
  // Read one byte past the limit, so that the parser can say the file is too large. Links are not followed.
  const read = readPlainFile(join(inbox, 'proposal.json'), PROPOSAL_LIMITS.documentBytes + 1)
  const bytes = await read.catch(() => undefined)
  return bytes === undefined
    ? { status: 'unreadable', detail: 'proposal.json is not a plain file' }
    : readProposal(bytes)
}
