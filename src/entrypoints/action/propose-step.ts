import { join } from 'node:path'
import { setOutput } from '@actions/core'
import { agentVariables, createAgent } from '../../agents/registry.ts'
import { digestOf } from '../../config/digest.ts'
import { pickEnvironment } from '../../config/environment.ts'
import type { Job, LedgerEntry } from '../../core/campaign.ts'
import { cleanText } from '../../core/clean-text.ts'
import { linesSeen } from '../../core/recall.ts'
import { diffTrees } from '../../git/listing.ts'
import type { ObjectStore } from '../../git/objects.ts'
import { createBrief } from '../../pipeline/brief.ts'
import { countChange } from '../../pipeline/change-stats.ts'
import { createJobSetting, type JobSetting } from '../../pipeline/job-setting.ts'
import type { Proposal } from '../../pipeline/propose.ts'
import { proposeJob } from '../../pipeline/propose-job.ts'
import { PROPOSAL_LIMITS, type ProposalDocument } from '../../protocol/proposal.ts'
import type { ResultDocument } from '../../protocol/result.ts'
import { headOf, writeProposal } from './documents.ts'
import type { OpenOrder } from './open-order.ts'
import type { StepRun } from './step.ts'

type Proposed = Extract<Proposal, { status: 'proposed' }>

/** Lets the agent work and hands its blobs on. Gives the outcome when the run ends here, undefined to go on. */
export async function runPropose(run: StepRun): Promise<ResultDocument['outcome'] | undefined> {
  const { opened, machine, order, startedMs } = run
  const { job, config } = opened
  if (job === undefined) throw new RangeError('runPropose: the inputs were checked, there is a job')
  const setting = await openSetting(run)
  const environment = pickEnvironment(agentVariables(config.agent))
  const agent = createAgent(config.agent, { path: machine.path, environment })
  const history = await readHistory(opened, linesSeen(job))
  const proposal = await proposeJob(setting, { agent, job, history }, run.signal)
  if (proposal.status === 'aborted') throw run.signal.reason
  const usage = { ...proposal.usage, runnerMs: Math.round(performance.now() - startedMs) }
  run.learned.spent = usage
  const said = {
    plan: cleanText(proposal.plan, PROPOSAL_LIMITS.planCharacters),
    transcript: cleanText(proposal.transcript ?? '', PROPOSAL_LIMITS.transcriptCharacters),
    briefDigest: digestOf(createBrief(config, job, history)),
    usage,
  }
  const outcome =
    proposal.status === 'failed'
      ? { status: 'failed' as const, reason: proposal.reason, detail: proposal.detail, ...said }
      : { ...(await describeProposed(setting, job, proposal)), ...said }
  const base = { commit: job.parent.commit, tree: job.parent.tree }
  await writeProposal(machine, { ...headOf(order, job.attempt), base, outcome })
  if (proposal.status === 'failed')
    return { status: 'failed', reason: proposal.reason, detail: proposal.detail }
  if (await isKnownTree(opened, proposal.tree)) return { status: 'duplicate', tree: proposal.tree }
  // Only a tree that shall be evaluated is named: the workflow's second job starts on it.
  setOutput('tree', proposal.tree)
  return undefined
}

// No set-up here: install scripts of dependencies must not run beside the model's key.
async function openSetting({ opened, machine, signal }: StepRun): Promise<JobSetting> {
  const { git, root, config } = opened
  return await createJobSetting({
    config: { ...config, evaluation: { ...config.evaluation, setup: undefined } },
    repository: git.repository,
    objects: git.objects,
    rootTree: root.tree,
    workshopPlace: join(machine.place, 'workshops'),
    workPlace: join(machine.place, 'work'),
    path: machine.path,
    passedEnvironment: {},
    signal,
  })
}

async function describeProposed(
  { objects, workshop }: JobSetting,
  job: Job,
  { tree, summary, changes }: Proposed,
): Promise<
  Pick<
    Extract<ProposalDocument['outcome'], { status: 'proposed' }>,
    'status' | 'tree' | 'files' | 'summary' | 'descriptor'
  >
> {
  const own = await diffTrees(workshop.area.repository, job.parent.tree, tree)
  return {
    status: 'proposed',
    tree,
    files: await Promise.all(
      own.map(async ({ path, before, after }) => ({
        path,
        ...(before && { before: plainFile(before) }),
        ...(after && { after: { ...plainFile(after), content: await readBase64(objects, after.blob) } }),
      })),
    ),
    summary,
    descriptor: { change: await countChange(changes, objects) },
  }
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

async function isKnownTree({ git, snapshot }: OpenOrder, tree: string): Promise<boolean> {
  if (snapshot === undefined) return false
  const { state } = await git.store.withTrees(snapshot, [tree])
  return state.trees.get(tree.slice(0, 2))?.has(tree) === true
}
