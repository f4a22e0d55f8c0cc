import { join } from 'node:path'
import { warning } from '@actions/core'
import { pickEnvironment } from '../../config/environment/environment.ts'
import type { Sample } from '../../core/measuring/measurement.ts'
import {
  explainLongConfirmation,
  type MeasurementPlan,
  planMeasurement,
  planRehearsal,
} from '../../core/measuring/measurement-plan.ts'
import { type NoiseReport, reportNoise } from '../../core/measuring/noise.ts'
import { cleanOutput } from '../../core/redact-secrets.ts'
import { digestEvaluator } from '../../guard/evaluator/evaluator-digest.ts'
import { createJobContext, type JobContext, usedIsolation } from '../../pipeline/job-context.ts'
import { DETAIL_CHARACTERS } from '../../pipeline/measuring/evaluate.ts'
import { evaluateTree } from '../../pipeline/measuring/evaluate-tree.ts'
import { isDescribed, measureTree } from '../../pipeline/measuring/measure-tree.ts'
import { applyProposal } from '../../pipeline/proposal-files.ts'
import type { ResultOutcome } from '../../protocol/result.ts'
import { readInbox } from './documents.ts'
import type { OpenJob } from './open-job.ts'
import { isolateOnRunner } from './runner-isolation.ts'
import { contextOptions, type StepRun } from './step.ts'

type Failed = Extract<ResultOutcome, { status: 'failed' }>

/** Measures the tree that the dispatch names: a proposal's or a commit's. */
export async function runEvaluate(run: StepRun): Promise<ResultOutcome> {
  const { opened } = run
  const context = await openContext(run)
  run.learned.evaluatorDigest = await digestEvaluator(
    opened.config,
    context.preparedRoot.rootFiles,
    async (blob) => (await context.objects.get(blob, 'blob')).toString('utf8'),
  )
  // Fix the tree before the first candidate process starts.
  const tree = run.proposal === undefined ? opened.base.tree : await fixTree(run, context)
  return typeof tree === 'string' ? await measure(run, context, tree) : tree
}

async function openContext(run: StepRun): Promise<JobContext> {
  const { config } = run.opened
  const passedEnvironment = pickEnvironment(config.evaluation.environment)
  run.learned.secrets = Object.values(passedEnvironment)
  const isolation = await isolateOnRunner(run.machine, config.evaluation)
  run.learned.isolation = usedIsolation(isolation)
  if (isolation?.lacks) warning(isolation.lacks, { title: 'Loreley: isolation' })
  return await createJobContext({
    ...contextOptions(run),
    config,
    passedEnvironment,
    isolation,
  })
}

/** Rebuilds the proposed tree from the proposal's bytes, or says why the proposal is refused. */
async function fixTree(run: StepRun, context: JobContext): Promise<string | Failed> {
  const { opened, dispatch, proposal: bound } = run
  const reading = await readInbox(run.machine.inbox)
  if (reading.status === 'unreadable') return refused(`proposal-unreadable: ${reading.detail}`)
  const { outcome, base, candidate, nonce } = reading.document
  if (outcome.status !== 'proposed') return refused('proposal-unreadable: it proposes nothing')
  if (candidate !== dispatch.candidate || nonce !== dispatch.nonce)
    return refused('proposal-swapped: it belongs to another run')
  if (outcome.tree !== bound?.tree) return refused('proposal-swapped: it has another tree')
  if (base.commit !== opened.base.commit || base.tree !== opened.base.tree)
    return refused('proposal-swapped: it has another base')
  const { repository } = context.preparedRoot.area
  const { objects } = context
  const applied = await applyProposal({ repository, objects, baseTree: base.tree, proposed: outcome })
  return applied.status === 'applied' ? applied.tree : refused(applied.detail)
}

async function measure(run: StepRun, context: JobContext, tree: string): Promise<ResultOutcome> {
  const { opened, machine, signal } = run
  const plan = planOf(opened)
  const request = {
    folder: join(machine.folder, 'work'),
    tree,
    base: opened.base.tree,
    describes: canDescribe(run),
    rival: opened.job?.rival?.tree,
    plan: () => plan,
  }
  const measured = await measureTree(context, request, (each) => evaluateTree(context, each, signal))
  run.learned.logs = [...measured.logs]
  if (measured.status === 'aborted') throw signal.reason
  const { outcome, usage } = measured
  if (outcome.status === 'failed' || plan.kind !== 'baseline') return outcome
  const noise = reportOn(outcome.samples, opened.config)
  if (noise?.deterministic === false) warnOfTime(opened.config, usage.runnerMs / outcome.samples.length)
  return { ...outcome, ...(noise && { noise }) }
}

// Warn before any time is spent: a search whose winners can never be confirmed is worth little.
function warnOfTime({ evaluation }: OpenJob['config'], runMs: number): void {
  const { sampling, heldOut } = evaluation
  const hasHeldOut = heldOut !== undefined
  const fault = explainLongConfirmation({ runMs, maxPairs: sampling.maxPairs, hasHeldOut })
  if (fault !== undefined) warning(`${fault}.`, { title: 'Loreley: confirmations may not fit' })
}

function reportOn(
  samples: readonly Sample[],
  { objectives, evaluation }: OpenJob['config'],
): NoiseReport | undefined {
  const runs = samples.filter(({ stage }) => stage === 'full').map((sample) => sample.metrics)
  return reportNoise(runs, objectives, evaluation)
}

// A candidate was described when it was proposed. The root has no proposal: its difference from itself needs no model,
// but describing the whole repository needs the key, which this job does not have. Then it stays at the centre. After a
// change of embedder, elites are described again before their code starts. That needs no key either, because the app
// adopts no embedder that needs one.
function canDescribe({ opened: { job, config } }: StepRun): boolean {
  if (job === undefined || !isDescribed(job)) return false
  return (
    config.embedder.use !== 'openai' || (job.kind === 'baseline' && config.search.descriptor !== 'repo_state')
  )
}

// `validate` asks the first question of every campaign: do the numbers vary, and how much? Finding out when the first
// candidate is confirmed would be too late.
function planOf({ snapshot, job, config }: OpenJob): MeasurementPlan {
  if (snapshot !== undefined && job !== undefined) return planMeasurement({ ...snapshot.state, config }, job)
  return planRehearsal(config.evaluation)
}

// The detail may quote the proposal, which a machine that ran an agent has written.
function refused(detail: string): Failed {
  return { status: 'failed', reason: 'guard-blocked', detail: cleanOutput(detail, DETAIL_CHARACTERS) }
}
