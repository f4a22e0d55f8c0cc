import { setOutput } from '@actions/core'
import type { AgentUsage } from '../../agents/meter.ts'
import { agentVariables, createAgent } from '../../agents/registry.ts'
import { findRunnerFault, readEmbedderKey } from '../../config/environment/embedder-key.ts'
import { pickEnvironment } from '../../config/environment/environment.ts'
import { addUsage } from '../../core/budget/budget.ts'
import type { Job } from '../../core/campaign/job.ts'
import type { LedgerEntry } from '../../core/campaign/ledger.ts'
import { cleanOutput } from '../../core/redact-secrets.ts'
import { createJobContext, type JobContext } from '../../pipeline/job-context.ts'
import { packProposal } from '../../pipeline/proposal-files.ts'
import type { Proposal } from '../../pipeline/proposing/propose-candidate.ts'
import { runCandidate } from '../../pipeline/run-candidate.ts'
import { PROPOSAL_LIMITS } from '../../protocol/proposal.ts'
import { RESULT_LIMITS, type ResultOutcome } from '../../protocol/result.ts'
import { isKnownSince, isKnownTree } from '../../store/known-tree.ts'
import { headOf, writeProposal } from './documents.ts'
import type { OpenJob } from './open-job.ts'
import { renderProposalSummary } from './proposal-summary.ts'
import { sayForeign } from './say.ts'
import { contextOptions, type StepRun } from './step.ts'
import { showPage } from './summary.ts'

/** Runs the agent and hands its blobs on. Returns the outcome if the run ends here, undefined if it goes on. */
export async function runPropose(run: StepRun): Promise<ResultOutcome | undefined> {
  const { opened, machine, learned } = run
  const { job, config } = opened
  if (job === undefined) throw new RangeError('runPropose: the inputs were checked, there is a job')
  const context = await openContext(run)
  const environment = pickEnvironment(agentVariables(config.agent))
  learned.secrets = Object.values(environment)
  const proposing = {
    agent: createAgent(config.agent, { path: machine.path, environment }),
    direction: () => opened.snapshot?.state.campaign.control.direction,
    readHistory: (lines: number) => readHistory(opened, lines),
    isKnownTree: (tree: string) => isKnown(opened, tree),
    spent: (usage: AgentUsage) => {
      learned.spent = addUsage(learned.spent, { ...usage, runnerMs: 0 })
    },
  }
  const send = (proposal: SentProposal) => sendProposal(run, job, proposal)
  const ran = await runCandidate(context, job, { proposing, send }, run.signal)
  if (ran.status === 'aborted') throw run.signal.reason
  return ran.status === 'sent' ? undefined : outcomeOf(ran.outcome, learned.secrets)
}

type SentProposal = Exclude<Proposal, { status: 'duplicate' }>

async function sendProposal(
  { opened, machine, dispatch, learned, startedMs }: StepRun,
  { attempt, parent: { commit, tree } }: Job,
  proposal: SentProposal,
): Promise<void> {
  const usage = { ...learned.spent, runnerMs: Math.round(performance.now() - startedMs) }
  const packed = await packProposal(opened.git, { commit, tree }, { ...proposal, usage })
  const document = { ...headOf(dispatch, attempt), ...packed }
  await writeProposal(machine, document)
  const { outcome } = document
  if (outcome.status === 'failed') return
  // Set only for a tree that will be evaluated: the workflow's second job starts on this output.
  setOutput('tree', outcome.tree)
  await showPage(renderProposalSummary(document, outcome))
}

// Only the document's own keys, nothing that the agent was told or said.
function outcomeOf(outcome: ResultOutcome, secrets: readonly string[]): ResultOutcome {
  if (outcome.status === 'measured') return outcome
  const { tree, summary } = outcome
  if (outcome.status === 'duplicate') return { status: 'duplicate', tree: outcome.tree, summary }
  const { reason, code } = outcome
  const detail = cleanOutput(outcome.detail, RESULT_LIMITS.detailCharacters, secrets)
  return { status: 'failed', reason, code, detail, tree, summary }
}

// No set-up here: install scripts of dependencies must not run next to the model's key. The guard refuses what does not
// fit into a proposal. It gives a reason, so that the agent can fix it.
async function openContext(run: StepRun): Promise<JobContext> {
  const { config } = run.opened
  const fault = findRunnerFault(config)
  if (fault !== undefined) throw fault
  const { maxFiles, maxChangeBytes } = config.scope
  const scope = {
    ...config.scope,
    maxFiles: Math.min(maxFiles, PROPOSAL_LIMITS.files),
    maxChangeBytes: Math.min(maxChangeBytes, PROPOSAL_LIMITS.changedBytes),
  }
  return await createJobContext({
    ...contextOptions(run),
    config: { ...config, scope, evaluation: { ...config.evaluation, setup: undefined } },
    passedEnvironment: {},
    embedderKey: readEmbedderKey(config),
  })
}

async function readHistory(
  { git, snapshot }: OpenJob,
  lines: number,
): Promise<ReadonlyMap<number, LedgerEntry>> {
  const entries = new Map<number, LedgerEntry>()
  if (snapshot === undefined) return entries
  for await (const entry of git.store.readLedger(snapshot)) {
    if (entries.size >= lines) break
    entries.set(entry.ordinal, entry)
  }
  return entries
}

// Agents are slow: the same tree may have been judged since the dispatch.
async function isKnown({ git, snapshot: given, loadNow }: OpenJob, tree: string): Promise<boolean> {
  if (given === undefined) return false
  if (await isKnownTree(git.store, given, tree)) return true
  try {
    const now = await loadNow()
    return now !== undefined && (await isKnownSince(git.store, { given, now }, tree))
  } catch (error) {
    // Then measure it. If it is a duplicate, admission will say so.
    const why = error instanceof Error ? error.message : String(error)
    sayForeign('What was measured since the dispatch could not be read', why)
    return false
  }
}
