import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pickEnvironment } from '../../config/environment.ts'
import { type MeasurementPlan, planMeasurement } from '../../core/measurement-plan.ts'
import { diffTrees } from '../../git/listing.ts'
import { digestEvaluator } from '../../guard/evaluator-digest.ts'
import { applyProposal } from '../../pipeline/apply-proposal.ts'
import { evaluateJob } from '../../pipeline/evaluate-job.ts'
import { createJobSetting, type JobSetting } from '../../pipeline/job-setting.ts'
import type { ArtifactReading } from '../../protocol/artifact.ts'
import { PROPOSAL_LIMITS, type ProposalDocument, readProposal } from '../../protocol/proposal.ts'
import type { ResultDocument } from '../../protocol/result.ts'
import type { OpenOrder } from './open-order.ts'
import { isolateOnRunner } from './runner-isolation.ts'
import { type StepRun, settingOf } from './step.ts'

type Outcome = ResultDocument['outcome']
type Failed = Extract<Outcome, { status: 'failed' }>

/** Measures what the order names: a proposal, or the tree of a commit. */
export async function runEvaluate(run: StepRun): Promise<Outcome> {
  const { opened } = run
  const setting = await openSetting(run)
  run.learned.evaluatorDigest = digestEvaluator(opened.config, setting.workshop.rootFiles)
  // The tree is fixed here, before the first process of a candidate starts.
  const tree = run.proposal === undefined ? opened.base.tree : await fixTree(run, setting)
  return typeof tree === 'string' ? await measure(run, setting, tree) : tree
}

async function openSetting(run: StepRun): Promise<JobSetting> {
  const { config } = run.opened
  const isolation = await isolateOnRunner(run.machine, config.evaluation)
  run.learned.isolation = { level: isolation?.level ?? 'none', network: isolation?.network ?? 'host' }
  return await createJobSetting({
    ...settingOf(run),
    config,
    passedEnvironment: pickEnvironment(config.evaluation.environment),
    isolation,
  })
}

/** The proposed tree, rebuilt from the proposal's bytes; or why the proposal is not taken. */
async function fixTree(run: StepRun, setting: JobSetting): Promise<string | Failed> {
  const { opened, order, proposal: bound } = run
  const reading = await readInbox(run.machine.inbox)
  if (reading.status === 'unreadable') return refused(`proposal-unreadable: ${reading.detail}`)
  const { outcome, base, candidate, nonce } = reading.document
  if (outcome.status !== 'proposed') return refused('proposal-unreadable: it proposes nothing')
  if (candidate !== order.candidate || nonce !== order.nonce)
    return refused('proposal-swapped: of another run')
  if (outcome.tree !== bound?.tree) return refused('proposal-swapped: of another tree')
  if (base.commit !== opened.base.commit || base.tree !== opened.base.tree)
    return refused('proposal-swapped: of another base')
  const { repository } = setting.workshop.area
  const { objects } = setting
  const applied = await applyProposal({ repository, objects, baseTree: base.tree, proposed: outcome })
  return applied.status === 'applied' ? applied.tree : refused(applied.detail)
}

// One plain file of bounded size, and nothing beside it: what else an artifact may hold is not looked at.
async function readInbox(inbox: string): Promise<ArtifactReading<ProposalDocument>> {
  const unreadable = (detail: string) => ({ status: 'unreadable', detail }) as const
  const names = await readdir(inbox).catch(() => [])
  if (names.length !== 1 || names[0] !== 'proposal.json')
    return unreadable('it is not one file proposal.json')
  const file = join(inbox, 'proposal.json')
  const { size } = await lstat(file)
  if (size > PROPOSAL_LIMITS.documentBytes) return unreadable(`it has ${size} bytes`)
  return readProposal(await readFile(file))
}

async function measure(run: StepRun, setting: JobSetting, tree: string): Promise<Outcome> {
  const { opened, machine, signal } = run
  const changesTo = (to: string) => diffTrees(opened.git.repository, opened.root.tree, to)
  const rival = opened.job?.rival
  const order = {
    place: join(machine.place, 'work'),
    tree,
    base: opened.base.tree,
    changes: await changesTo(tree),
    rivalChanges: rival && (await changesTo(rival.tree)),
    plan: planOf(opened),
  }
  const measured = await evaluateJob(setting, order, signal)
  run.learned.logs = [...measured.logs]
  if (measured.status === 'aborted') throw signal.reason
  run.learned.spent = { tokens: 0, dollars: 0, runnerMs: Math.round(performance.now() - run.startedMs) }
  if (measured.status === 'failed')
    return { status: 'failed', reason: measured.reason, detail: measured.detail, tree }
  const { metrics, samples } = measured
  return { status: 'measured', tree, metrics, samples: [...samples], ...(await describeRoot(run, setting)) }
}

// What a candidate is about was said when it was proposed; the root has no proposal. As its difference from itself it
// needs no model. As a whole repository it does, and the key, which this job does not have: it stays at the centre.
async function describeRoot({ order }: StepRun, { config, describer }: JobSetting) {
  const needsKey = config.embedder.use === 'openai' && config.search.descriptor === 'repo_state'
  const isDescribed = order.kind === 'baseline' && !needsKey
  const described = isDescribed ? await describer?.([]) : undefined
  return described && { embedding: described.embedding }
}

// What `validate` wants to know is what a campaign learns first: whether the numbers vary, and how much.
function planOf({ snapshot, job, config }: OpenOrder): MeasurementPlan {
  if (snapshot !== undefined && job !== undefined) return planMeasurement({ ...snapshot.state, config }, job)
  const { baselineRuns, sampling } = config.evaluation
  return { kind: 'baseline', runs: baselineRuns, noisyRuns: Math.max(baselineRuns, 2 * sampling.minPairs) }
}

function refused(detail: string): Failed {
  return { status: 'failed', reason: 'guard-blocked', detail: detail.slice(0, 2000) }
}
