import type { Usage } from '../../core/budget/budget.ts'
import type { ProposalBinding } from '../../protocol/dispatch.ts'
import { PROPOSAL_LIMITS, type ProposalDocument, readProposal } from '../../protocol/proposal.ts'
import { RESULT_LIMITS, type ResultDocument, readResult } from '../../protocol/result.ts'
import type { RepositoryApi } from '../api/repository-api.ts'
import { type ArtifactFacts, type ArtifactList, listArtifacts, readArtifactFile } from './artifacts.ts'

/** The artifacts we expect, from the dispatch and from GitHub's own records. */
export interface ExpectedResults {
  readonly runId: number
  /** How the run ended, in GitHub's own record. */
  readonly conclusion: string | null
  readonly kind: ResultDocument['kind']
  readonly candidate: string
  readonly attempt: number
  readonly nonce: string
  /** From the name of the `evaluate` job; undefined for kinds without a proposal, or when there is none. */
  readonly binding: ProposalBinding | undefined
  /** The commit that the proposal must be based on. */
  readonly base: string
}

export type ResultsFault =
  /** The run broke before it left a result. */
  | 'result-missing'
  /** An artifact was replaced, duplicated or belongs to another run. */
  | 'artifact-swapped'
  | 'artifact-unreadable'

export type CollectedResults =
  | {
      readonly status: 'collected'
      readonly result: ResultDocument
      /** Present for every candidate that was evaluated. */
      readonly proposal: ProposalDocument | undefined
    }
  | { readonly status: 'failed'; readonly fault: ResultsFault; readonly detail: string }

type Read<T> =
  | { readonly status: 'read'; readonly document: T }
  | Extract<CollectedResults, { status: 'failed' }>

const RESULT_FILE = { file: 'result.json', maxBytes: RESULT_LIMITS.documentBytes }
const PROPOSAL_FILE = { file: 'proposal.json', maxBytes: PROPOSAL_LIMITS.documentBytes }

/**
 * Reads the artifacts of a trusted run as hostile input. A job can replace the artifacts of its own run, but it cannot
 * give them the id that GitHub wrote into the name of the `evaluate` job before the candidate started.
 */
export async function collectResults(
  api: RepositoryApi,
  expected: ExpectedResults,
): Promise<CollectedResults> {
  const list = await listArtifacts(api, expected.runId)
  const result = await readTheResult(api, list, expected)
  if (result.status === 'failed') return result
  const { outcome } = result.document
  // A job that measured uploads the result and succeeds. It fails when the uploaded result is not its own.
  if (outcome.status === 'measured' && expected.conclusion !== 'success')
    return failed('artifact-swapped', `it was measured, but the run ended with ${expected.conclusion}`)
  // Without an evaluation no job name binds the proposal. A failed one still says what its proposal cost.
  const wasEvaluated = outcome.status === 'measured' || expected.binding !== undefined
  if (!wasEvaluated || expected.kind !== 'candidate')
    return { status: 'collected', result: result.document, proposal: undefined }
  const proposal = await readTheProposal(api, list, expected)
  if (proposal.status === 'failed') return proposal
  if (outcome.status === 'measured' && outcome.tree !== expected.binding?.tree)
    return failed('artifact-swapped', `the measured tree is ${outcome.tree}, not the proposed one`)
  return { status: 'collected', result: result.document, proposal: proposal.document }
}

async function readTheResult(
  api: RepositoryApi,
  list: ArtifactList,
  expected: ExpectedResults,
): Promise<Read<ResultDocument>> {
  const artifact = findOnly(list, 'result')
  if ('status' in artifact) return artifact
  const reading = await readArtifactFile(api, artifact, RESULT_FILE)
  const read = reading.status === 'read' ? readResult(reading.bytes) : reading
  if (read.status === 'unreadable') return failed('artifact-unreadable', `result: ${read.detail}`)
  return isOf(read.document, expected)
    ? read
    : failed('artifact-swapped', 'the result belongs to another candidate or attempt')
}

async function readTheProposal(
  api: RepositoryApi,
  list: ArtifactList,
  expected: ExpectedResults,
): Promise<Read<ProposalDocument>> {
  const { binding } = expected
  if (binding === undefined) return failed('artifact-swapped', 'no evaluation names its proposal')
  const read = await openProposal(api, list, expected)
  if (read.status === 'failed') return read
  const { outcome } = read.document
  return outcome.status === 'proposed' && outcome.tree === binding.tree ? read : SWAPPED_PROPOSAL
}

const SWAPPED_PROPOSAL = failed('artifact-swapped', 'the proposal belongs to another candidate, base or tree')

/** The base of a closed job is no longer known. Only its cost is read then. */
type ExpectedProposal = Omit<ExpectedResults, 'conclusion' | 'base'> & { readonly base?: string | undefined }

// Without an evaluation no candidate code ran, so nobody could replace the proposal.
async function openProposal(
  api: RepositoryApi,
  list: ArtifactList,
  expected: ExpectedProposal,
): Promise<Read<ProposalDocument>> {
  const { binding, base } = expected
  const artifact = findOnly(list, 'proposal')
  if ('status' in artifact) return artifact
  if (binding !== undefined && artifact.id !== binding.artifactId)
    return failed('artifact-swapped', 'the proposal is not the one that was evaluated')
  const reading = await readArtifactFile(api, artifact, PROPOSAL_FILE)
  const read = reading.status === 'read' ? readProposal(reading.bytes) : reading
  if (read.status === 'unreadable') return failed('artifact-unreadable', `proposal: ${read.detail}`)
  const isOurs = isOf(read.document, expected) && (base === undefined || read.document.base.commit === base)
  return isOurs ? read : SWAPPED_PROPOSAL
}

/** The model usage of a run without a result; undefined when it left no credible proposal. */
export async function findModelUsage(
  api: RepositoryApi,
  expected: ExpectedProposal,
): Promise<Usage | undefined> {
  const read = await openProposal(api, await listArtifacts(api, expected.runId), expected)
  return read.status === 'read' ? read.document.outcome.usage : undefined
}

function findOnly(
  { total, artifacts }: ArtifactList,
  name: string,
): ArtifactFacts | Extract<CollectedResults, { status: 'failed' }> {
  if (total > artifacts.length) return failed('artifact-swapped', `the run left ${total} artifacts`)
  const named = artifacts.filter((artifact) => artifact.name === name)
  const [only] = named
  if (only === undefined)
    return name === 'result'
      ? failed('result-missing', 'the run left no artifact named result')
      : failed('artifact-swapped', `the run left no artifact named ${name}`)
  return named.length === 1
    ? only
    : failed('artifact-swapped', `the run left ${named.length} artifacts named ${name}`)
}

function isOf(
  document: ResultDocument | ProposalDocument,
  expected: Pick<ExpectedResults, 'kind' | 'candidate' | 'attempt' | 'nonce'>,
): boolean {
  return (
    document.kind === expected.kind &&
    document.candidate === expected.candidate &&
    (document.attempt === expected.attempt || isBrokenRun(document)) &&
    document.nonce === expected.nonce
  )
}

// A run that broke early has not read its attempt from the state branch. The nonce identifies it as well.
function isBrokenRun({ outcome }: ResultDocument | ProposalDocument): boolean {
  return outcome.status === 'failed' && outcome.reason === 'infrastructure'
}

function failed(fault: ResultsFault, detail: string): Extract<CollectedResults, { status: 'failed' }> {
  return { status: 'failed', fault, detail }
}
