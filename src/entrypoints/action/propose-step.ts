import { setOutput } from '@actions/core'
import { agentVariables, createAgent } from '../../agents/registry.ts'
import { digestOf } from '../../config/digest.ts'
import { findRunnerFault, readEmbedderKey } from '../../config/environment/embedder-key.ts'
import { pickEnvironment } from '../../config/environment/environment.ts'
import { addUsage, type Usage } from '../../core/budget/budget.ts'
import type { LedgerEntry } from '../../core/campaign/ledger.ts'
import { cleanText } from '../../core/clean-text.ts'
import { linesSeen } from '../../core/planning/recall.ts'
import { EmbedderFault } from '../../embedding/embedder.ts'
import { diffTrees } from '../../git/listing.ts'
import type { ObjectStore } from '../../git/objects/object-store.ts'
import { createBrief } from '../../pipeline/brief.ts'
import { countChange } from '../../pipeline/change-stats.ts'
import { createJobSetting, type JobSetting } from '../../pipeline/job-setting.ts'
import type { Proposal } from '../../pipeline/propose.ts'
import { proposeJob } from '../../pipeline/propose-job.ts'
import { PROPOSAL_LIMITS } from '../../protocol/proposal.ts'
import type { ResultDocument } from '../../protocol/result.ts'
import { isKnownSince, isKnownTree } from '../../store/known-tree.ts'
import { headOf, writeProposal } from './documents.ts'
import type { OpenOrder } from './open-order.ts'
import { renderProposalSummary } from './proposal-summary.ts'
import { sayForeign } from './say.ts'
import { type StepRun, settingOf } from './step.ts'
import { showPage } from './summary.ts'

type Proposed = Extract<Proposal, { status: 'proposed' }>

/** Lets the agent work and hands its blobs on. Gives the outcome when the run ends here, undefined to go on. */
export async function runPropose(run: StepRun): Promise<ResultDocument['outcome'] | undefined> {
  const { opened, machine, order } = run
  const { job, config } = opened
  if (job === undefined) throw new RangeError('runPropose: the inputs were checked, there is a job')
  const setting = await openSetting(run)
  const environment = pickEnvironment(agentVariables(config.agent))
  run.learned.secrets = Object.values(environment)
  const agent = createAgent(config.agent, { path: machine.path, environment })
  const history = await readHistory(opened, linesSeen(job))
  const { direction } = opened.snapshot?.state.campaign.control ?? {}
  const proposal = await proposeJob(setting, { agent, job, history, direction }, run.signal)
  if (proposal.status === 'aborted') throw run.signal.reason
  spend(run, proposal.usage)
  if (proposal.status === 'proposed' && (await isKnown(opened, proposal.tree)))
    return { status: 'duplicate', tree: proposal.tree }
  const made = proposal.status === 'proposed' ? await describeProposed(run, setting, proposal) : proposal
  const outcome = {
    ...made,
    plan: cleanText(proposal.plan, PROPOSAL_LIMITS.planCharacters),
    transcript: cleanText(proposal.transcript ?? '', PROPOSAL_LIMITS.transcriptCharacters),
    models: [...proposal.models],
    briefDigest: digestOf(createBrief(config, { job, history, direction })),
    usage: run.learned.spent,
  }
  const base = { commit: job.parent.commit, tree: job.parent.tree }
  const document = { ...headOf(order, job.attempt), base, outcome }
  await writeProposal(machine, document)
  if (outcome.status === 'failed') return { status: 'failed', reason: outcome.reason, detail: outcome.detail }
  // Only a tree that shall be evaluated is named: the workflow's second job starts on it.
  setOutput('tree', outcome.tree)
  await showPage(renderProposalSummary(document, outcome))
  return undefined
}

function spend({ learned, startedMs }: StepRun, used: Omit<Usage, 'runnerMs'>): void {
  const spent = addUsage(learned.spent, { ...used, runnerMs: 0 })
  learned.spent = { ...spent, runnerMs: Math.round(performance.now() - startedMs) }
}

// No set-up here: install scripts of dependencies must not run beside the model's key. What would not fit into a
// proposal is for the guard to refuse: it gives the reason, and the agent may mend it.
async function openSetting(run: StepRun): Promise<JobSetting> {
  const { config } = run.opened
  const fault = findRunnerFault(config)
  if (fault !== undefined) throw fault
  const { maxFiles, maxChangeBytes } = config.scope
  const scope = {
    ...config.scope,
    maxFiles: Math.min(maxFiles, PROPOSAL_LIMITS.files),
    maxChangeBytes: Math.min(maxChangeBytes, PROPOSAL_LIMITS.changedBytes),
  }
  return await createJobSetting({
    ...settingOf(run),
    config: { ...config, scope, evaluation: { ...config.evaluation, setup: undefined } },
    passedEnvironment: {},
    embedderKey: readEmbedderKey(config),
  })
}

async function describeProposed(
  run: StepRun,
  { objects, workshop, describer }: JobSetting,
  { tree, summary, changes, card }: Proposed,
) {
  const own = await diffTrees(workshop.area.repository, run.opened.base.tree, tree)
  const files = own.map(async ({ path, before, after }) => ({
    path,
    ...(before && { before: plainFile(before) }),
    ...(after && { after: { ...plainFile(after), content: await readBase64(objects, after.blob) } }),
  }))
  const described = await describer?.(changes).catch((error: unknown) => {
    if (error instanceof EmbedderFault) spend(run, error.paid)
    throw error
  })
  if (described) spend(run, described.usage)
  return {
    status: 'proposed',
    tree,
    files: await Promise.all(files),
    summary,
    card,
    descriptor: { change: await countChange(changes, objects), embedding: described?.embedding },
  } as const
}

// The guard has let nothing else pass.
function plainFile({ mode, blob }: { readonly mode: string; readonly blob: string }) {
  return { mode: mode === '100755' ? ('100755' as const) : ('100644' as const), blob }
}

async function readBase64(objects: ObjectStore, blob: string): Promise<string> {
  return (await objects.get(blob, 'blob')).toString('base64')
}

async function readHistory(
  { git, snapshot }: OpenOrder,
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

// The job is as old as its dispatch, and agents take their time: the same tree may have been judged since.
async function isKnown({ git, snapshot: given, loadNow }: OpenOrder, tree: string): Promise<boolean> {
  if (given === undefined) return false
  if (await isKnownTree(git.store, given, tree)) return true
  try {
    const now = await loadNow()
    return now !== undefined && (await isKnownSince(git.store, { given, now }, tree))
  } catch (error) {
    // Then it is measured, and called a duplicate when it is admitted.
    const why = error instanceof Error ? error.message : String(error)
    sayForeign('What was measured since the dispatch could not be read', why)
    return false
  }
}
