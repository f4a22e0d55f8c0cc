import { join } from 'node:path'
import type { Usage } from '../core/budget.ts'
import type { Job, JobResult } from '../core/campaign.ts'
import { candidateId } from '../core/candidate-id.ts'
import type { Metrics } from '../core/objective.ts'
import { rngFor } from '../core/rng.ts'
import { LoreleyError } from '../errors.ts'
import { writeCommit } from '../git/commits.ts'
import type { PathChange } from '../git/listing.ts'
import { countChange } from '../pipeline/change-stats.ts'
import { renderCommitMessage } from '../pipeline/commit-message.ts'
import { type EvaluationOutcome, evaluate } from '../pipeline/evaluate.ts'
import { type Proposal, propose } from '../pipeline/propose.ts'
import { createWorkFolder } from '../pipeline/work-folder.ts'
import { keepRef } from '../store/layout.ts'
import { LOCAL_IDENTITY } from '../store/local-store.ts'
import type { CampaignTools } from './tools.ts'

/** Runs one job to its result; undefined when it was aborted, in which case it stays open. */
export async function runJob(
  tools: CampaignTools,
  job: Job,
  signal: AbortSignal,
): Promise<JobResult | undefined> {
  return job.kind === 'baseline'
    ? await runBaseline(tools, job, signal)
    : await runCandidate(tools, job, signal)
}

async function runBaseline(
  tools: CampaignTools,
  job: Job,
  signal: AbortSignal,
): Promise<JobResult | undefined> {
  const samples: Metrics[] = []
  let runnerMs = 0
  for (let run = 0; run < tools.config.evaluation.baselineRuns; run++) {
    const outcome = await evaluateChanges(tools, job, [], signal)
    if (outcome.status === 'aborted') return undefined
    runnerMs += Math.round(outcome.runnerMs)
    const usage = { tokens: 0, dollars: 0, runnerMs }
    if (outcome.status === 'failed')
      return { status: 'failed', reason: outcome.reason, detail: outcome.detail, usage }
    samples.push(outcome.metrics)
  }
  const change = { files: 0, linesAdded: 0, linesRemoved: 0 }
  const { commit, tree } = job.parent
  await keep(tools, job.ordinal, commit)
  const usage = { tokens: 0, dollars: 0, runnerMs }
  return {
    status: 'measured',
    commit,
    tree,
    metrics: medians(samples),
    samples,
    change,
    summary: 'the root',
    usage,
  }
}

async function runCandidate(
  tools: CampaignTools,
  job: Job,
  signal: AbortSignal,
): Promise<JobResult | undefined> {
  const started = performance.now()
  const proposal = await letPropose(tools, job, signal)
  if (proposal.status === 'aborted') return undefined
  const agentMs = performance.now() - started
  const usageWith = (runnerMs: number): Usage => ({
    ...proposal.usage,
    runnerMs: Math.round(agentMs + runnerMs),
  })
  if (proposal.status === 'failed') return { ...proposal, usage: usageWith(0) }
  const { tree, summary, changes } = proposal
  if (await tools.isKnownTree(tree)) return { status: 'duplicate', tree, summary, usage: usageWith(0) }
  const outcome = await evaluateChanges(tools, job, changes, signal)
  if (outcome.status === 'aborted') return undefined
  const usage = usageWith(outcome.runnerMs)
  if (outcome.status === 'failed') {
    return { status: 'failed', reason: outcome.reason, detail: outcome.detail, tree, summary, usage }
  }
  const commit = await commitCandidate(tools, job, tree, summary)
  const change = await countChange(changes, tools.git.objects)
  return { status: 'measured', commit, tree, metrics: outcome.metrics, samples: [], change, summary, usage }
}

async function letPropose(tools: CampaignTools, job: Job, signal: AbortSignal): Promise<Proposal> {
  const { config } = tools
  return await propose({
    job,
    agent: tools.agent,
    brief: {
      goal: config.goal,
      constraints: config.constraints,
      operator: job.operator,
      lens: job.lens,
      inspirations: job.inspirations.map(({ ordinal }) => ordinal),
    },
    guard: tools.guard,
    workshop: tools.workshop,
    objects: tools.git.objects,
    place: placeOf(tools, job),
    path: tools.path,
    rng: rngFor(config.search.seed, job.ordinal, 'agent'),
    timeoutMs: config.agent.timeoutSeconds * 1000,
    owner: tools.owner,
    signal,
  })
}

async function evaluateChanges(
  tools: CampaignTools,
  job: Job,
  changes: readonly PathChange[],
  signal: AbortSignal,
): Promise<EvaluationOutcome> {
  const { config, workshop, path, passedEnvironment, owner } = tools
  const folder = await createWorkFolder({
    place: join(placeOf(tools, job), 'evaluation'),
    template: workshop.template,
    changes: changes.map(({ pathBytes, after }) => ({ pathBytes, version: after })),
    objects: tools.git.objects,
    path,
    owner,
  })
  const axes = config.search.axes.flatMap((axis) => (axis.kind === 'metric' ? [axis.metric] : []))
  const neededMetrics = [...config.objectives.map(({ metric }) => metric), ...axes]
  try {
    const { evaluation } = config
    return await evaluate({
      folder,
      trusted: workshop.trusted,
      evaluation,
      neededMetrics,
      path,
      passedEnvironment,
      owner,
      signal,
    })
  } finally {
    await folder.remove()
  }
}

// The commit depends on the search alone: a fixed identity, and the root's date plus one second an ordinal.
async function commitCandidate(
  tools: CampaignTools,
  job: Job,
  tree: string,
  summary: string,
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
      summary,
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

function placeOf(tools: CampaignTools, job: Job): string {
  return join(tools.workPlace, `${job.ordinal}-${job.attempt}`)
}

/** Metric by metric, the middle of the runs; a metric that some run lacks is left out. */
function medians(samples: readonly Metrics[]): Metrics {
  const names = Object.keys(samples[0] ?? {})
  return Object.fromEntries(
    names.flatMap((name) => {
      const values = samples.flatMap((sample) => sample[name] ?? []).sort((a, b) => a - b)
      const middle = values[values.length >> 1]
      return middle === undefined || values.length < samples.length ? [] : [[name, middle] as const]
    }),
  )
}
