import { warning } from '@actions/core'
import { pickEnvironment } from '../../config/environment/environment.ts'
import type { Job } from '../../core/campaign/job.ts'
import type { Sample } from '../../core/measuring/measurement.ts'
import {
  explainLongConfirmation,
  type MeasurementPlan,
  planMeasurement,
  planRehearsal,
} from '../../core/measuring/measurement-plan.ts'
import { type NoiseReport, reportNoise } from '../../core/measuring/noise.ts'
import { digestEvaluator } from '../../guard/evaluator/evaluator-digest.ts'
import { createJobContext, type JobContext, usedIsolation } from '../../pipeline/job-context.ts'
import { evaluateTree } from '../../pipeline/measuring/evaluate-tree.ts'
import { openProposal } from '../../pipeline/proposal-files.ts'
import { runCandidate } from '../../pipeline/run-candidate.ts'
import { removeSharedRoots } from '../../pipeline/workspace/shared-root.ts'
import type { ResultOutcome } from '../../protocol/result.ts'
import { readInbox } from './documents.ts'
import type { OpenJob } from './open-job.ts'
import { isolateOnRunner } from './runner-isolation.ts'
import { contextOptions, type StepRun } from './step.ts'

/** Measures the tree that the dispatch names: a proposal's or a commit's. */
export async function runEvaluate(run: StepRun): Promise<ResultOutcome> {
  const context = await openContext(run)
  try {
    return await evaluateIn(run, context)
  } finally {
    if (context.isolation !== undefined) await removeSharedRoots(context.preparedRoot, context.isolation)
  }
}

async function evaluateIn(run: StepRun, context: JobContext): Promise<ResultOutcome> {
  const { opened } = run
  run.learned.evaluatorDigest = await digestEvaluator(
    opened.config,
    context.preparedRoot.rootFiles,
    async (blob) => (await context.objects.get(blob, 'blob')).toString('utf8'),
  )
  const plan = planOf(opened)
  const ran = await runCandidate(
    context,
    opened.job ?? rehearsalOf(opened),
    {
      measuring: {
        plan: () => plan,
        canDescribe: () => canDescribe(opened),
        measure: async (_job, request, signal) => {
          const measured = await evaluateTree(context, request, signal)
          run.learned.logs = [...measured.logs]
          return measured
        },
      },
      ...(run.proposal !== undefined && { receive: () => receiveProposal(run, context) }),
    },
    run.signal,
  )
  if (ran.status !== 'done') throw run.signal.reason
  const { outcome, usage } = ran
  if (outcome.status !== 'measured' || plan.kind !== 'baseline') return outcome
  const noise = reportOn(outcome.samples, opened.config)
  if (noise?.deterministic === false) warnOfTime(opened.config, usage.runnerMs / outcome.samples.length)
  return { ...outcome, ...(noise && { noise }) }
}

async function receiveProposal({ machine, dispatch, proposal, opened }: StepRun, context: JobContext) {
  const expected = { run: dispatch, tree: proposal?.tree, base: opened.base }
  return await openProposal(context, await readInbox(machine.inbox), expected)
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
function canDescribe({ job, config }: OpenJob): boolean {
  if (job === undefined) return false
  return (
    config.embedder.use !== 'openai' || (job.kind === 'baseline' && config.search.descriptor !== 'repo_state')
  )
}

// `validate` has no job. It measures a commit, like the first job of a campaign.
function rehearsalOf({ base }: OpenJob): Job {
  const parent = { ordinal: 0, ...base }
  return { ordinal: 0, attempt: 1, kind: 'baseline', operator: 'fresh', parent, inspirations: [] }
}

// `validate` asks the first question of every campaign: do the numbers vary, and how much? Finding out when the first
// candidate is confirmed would be too late.
function planOf({ snapshot, job, config }: OpenJob): MeasurementPlan {
  if (snapshot !== undefined && job !== undefined) return planMeasurement({ ...snapshot.state, config }, job)
  return planRehearsal(config.evaluation)
}
