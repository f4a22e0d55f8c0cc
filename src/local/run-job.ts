import { addUsage, NO_USAGE, type Usage } from '../core/budget/budget.ts'
import type { Job, JobResult } from '../core/campaign/job.ts'
import { candidateId } from '../core/candidate/candidate-id.ts'
import { renderCommitMessage } from '../core/candidate/commit-message.ts'
import { linesSeen } from '../core/planning/recall.ts'
import { LoreleyError } from '../errors.ts'
import { diffTrees } from '../git/listing.ts'
import { writeCommit } from '../git/objects/commits.ts'
import { countChange } from '../pipeline/change-stats.ts'
import { type Described, tryDescribe } from '../pipeline/describer.ts'
import type { Proposal } from '../pipeline/propose.ts'
import { proposeJob } from '../pipeline/propose-job.ts'
import { usedIsolation } from '../pipeline/used-isolation.ts'
import { keepRef } from '../store/layout.ts'
import { LOCAL_IDENTITY } from '../store/local-store.ts'
import type { CampaignTools } from './tools.ts'

type Proposed = Extract<Proposal, { status: 'proposed' }>

/** Runs one job to its result; undefined when it was aborted, in which case it stays open. */
export async function runJob(
  tools: CampaignTools,
  job: Job,
  signal: AbortSignal,
): Promise<JobResult | undefined> {
  return job.kind === 'candidate'
    ? await runCandidate(tools, job, signal)
    : await measureAgain(tools, job, signal)
}

/** Measures what is there already: the root, or a candidate once more. */
async function measureAgain(
  tools: CampaignTools,
  job: Job,
  signal: AbortSignal,
): Promise<JobResult | undefined> {
  const { commit, tree } = job.parent
  const changesTo = (to: string) => diffTrees(tools.git.repository, tools.root.tree, to)
  const changes = await changesTo(tree)
  const rivalChanges = job.rival && (await changesTo(job.rival.tree))
  const isDescribed = job.kind === 'baseline' || job.describes === true
  const described = await tryDescribe(isDescribed ? tools.setting.describer : undefined, changes)
  if (described.status === 'failed') return { ...described, usage: { ...NO_USAGE, ...described.usage } }
  const measured = await tools.measure(job, { tree, changes, rivalChanges }, signal)
  if (measured.status === 'aborted') return undefined
  const usage = { ...NO_USAGE, ...described.usage, runnerMs: Math.round(measured.runnerMs) }
  if (measured.status === 'failed')
    return { status: 'failed', reason: measured.reason, detail: measured.detail, usage }
  if (job.kind === 'baseline') await keep(tools, 0, commit)
  return {
    status: 'measured',
    commit,
    tree,
    metrics: measured.metrics,
    samples: measured.samples,
    change: await countChange(changes, tools.setting.objects),
    embedding: described.embedding,
    summary: summaryOf(job),
    isolation: usedIsolation(tools.setting.isolation),
    usage,
  }
}

function summaryOf({ kind, parent, rival }: Job): string {
  if (kind === 'baseline') return 'the root'
  const how = rival === undefined ? 'measured again' : `measured in turns with ${rival.ordinal}`
  return `candidate ${parent.ordinal}, ${how}`
}

async function runCandidate(
  tools: CampaignTools,
  job: Job,
  signal: AbortSignal,
): Promise<JobResult | undefined> {
  const { setting } = tools
  const started = performance.now()
  const history = await tools.readHistory(linesSeen(job))
  const proposal = await proposeJob(
    setting,
    { agent: tools.agent, job, history, direction: tools.direction(), checksUnisolated: true },
    signal,
  )
  if (proposal.status === 'aborted') return undefined
  const agentMs = performance.now() - started
  const usageWith = (runnerMs: number, described: Described['usage'] = NO_USAGE): Usage =>
    addUsage({ ...proposal.usage, runnerMs: Math.round(agentMs + runnerMs) }, { ...described, runnerMs: 0 })
  tools.keepTranscript(job.ordinal, proposal.transcript)
  if (proposal.status === 'failed') {
    const { reason, detail } = proposal
    return { status: 'failed', reason, detail, usage: usageWith(0) }
  }
  const { tree, summary, changes, card, models } = proposal
  if (await tools.isKnownTree(tree)) return { status: 'duplicate', tree, summary, usage: usageWith(0) }
  // Before it is measured, which costs more: what cannot be placed is not worth it.
  const described = await tryDescribe(setting.describer, changes)
  if (described.status === 'failed')
    return { ...described, tree, summary, usage: usageWith(0, described.usage) }
  const measured = await tools.measure(job, { tree, changes }, signal)
  if (measured.status === 'aborted') return undefined
  const usage = usageWith(measured.runnerMs, described.usage)
  if (measured.status === 'failed') {
    return { status: 'failed', reason: measured.reason, detail: measured.detail, tree, summary, usage }
  }
  return {
    status: 'measured',
    commit: await commitCandidate(tools, job, { tree, summary, card, models }),
    tree,
    metrics: measured.metrics,
    samples: measured.samples,
    change: await countChange(changes, setting.objects),
    embedding: described.embedding,
    card,
    summary,
    isolation: usedIsolation(setting.isolation),
    usage,
  }
}

// The commit depends on the search alone: a fixed identity, and the root's date plus one second an ordinal.
async function commitCandidate(
  tools: CampaignTools,
  job: Job,
  { tree, ...said }: Pick<Proposed, 'tree' | 'summary' | 'card' | 'models'>,
): Promise<string> {
  const candidate = candidateId(tools.campaign, job.ordinal)
  const commit = await writeCommit(tools.git.objects, {
    tree,
    parents: [job.parent.commit],
    message: renderCommitMessage({
      campaign: tools.campaign,
      candidate,
      job,
      agent: tools.agent.name,
      ...said,
    }),
    identity: LOCAL_IDENTITY,
    seconds: tools.root.seconds + job.ordinal,
  })
  await keep(tools, job.ordinal, commit)
  return commit
}

// Before the state names a commit a ref must hold it, or a rebuild could elect one that git has collected.
async function keep(tools: CampaignTools, ordinal: number, commit: string): Promise<void> {
  const outcome = await tools.git.refs.apply([
    { ref: keepRef(tools.campaign, ordinal), to: commit, from: 'any' },
  ])
  if (outcome.status === 'applied') return
  throw new LoreleyError(
    'git-failed',
    outcome.detail,
    'Check that refs/loreley/ can be written in this repository.',
  )
}
