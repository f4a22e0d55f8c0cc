import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { canonicalJson } from '../../core/canonical-json.ts'
import { cleanOutput } from '../../core/redact-secrets.ts'
import { LoreleyError } from '../../errors.ts'
import { ARTIFACT_SCHEMA } from '../../protocol/artifact.ts'
import type { RunName } from '../../protocol/dispatch.ts'
import { type ProposalDocument, readProposal } from '../../protocol/proposal.ts'
import { RESULT_LIMITS, type ResultDocument, readResult } from '../../protocol/result.ts'
import type { RunnerMachine } from './runner.ts'
import type { Learned } from './step.ts'

type FailedOutcome = Extract<ResultDocument['outcome'], { status: 'failed' }>

/** What every document of a run begins with. */
export function headOf({ kind, candidate, nonce }: RunName, attempt: number) {
  return { schema: ARTIFACT_SCHEMA, kind, candidate, attempt, nonce } as const
}

/** The result of a run with what was learned until now. */
export function createResult(
  run: RunName,
  { attempt, spent, secrets: _, ...learned }: Learned,
  outcome: ResultDocument['outcome'],
  runner: ResultDocument['runner'],
): ResultDocument {
  return { ...headOf(run, attempt), outcome, ...learned, runner, usage: spent }
}

/** Our own fault, or the machine's: never held against the candidate. Tells none of the secrets. */
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

/** Writes `result.json` where the workflow takes it from. A reader's own check comes first: it must be readable. */
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
    `What this run has to say does not fit its own format: ${reading.detail}`,
    'This is a bug: please report it with the log of this step.',
  )
}
