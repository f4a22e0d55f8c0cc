import { writeFile } from 'node:fs/promises'
import { killOwned } from '../../../process/kill.ts'
import type { Job } from '../../actions/documents.ts'
import type { Box } from '../../box.ts'
import { checkRuns } from '../../checks/checks.ts'
import { type ActionCall, isJavascript, readInputs, runJavascript } from '../steps/action-call.ts'
import { findAction, isLocalAction } from '../steps/find-action.ts'
import { attempt, type PreparedCalls, runStep, stepName } from '../steps/step.ts'
import { evaluateCondition, evaluateText, evaluateTexts } from '../syntax/evaluate.ts'
import type { StepDefinition } from '../syntax/workflow-definition.ts'
import { createJobFolders, removeJobFolders } from './job-folders.ts'
import { type Frame, type JobRequest, JobSession, type Outcome } from './job-session.ts'
import { StepBoard } from './step-board.ts'

export interface JobResult {
  readonly conclusion: NonNullable<Job['conclusion']>
  readonly outputs: Readonly<Record<string, string>>
}

const MINUTE_MS = 60_000
const DEFAULT_TIMEOUT_MINUTES = 360
const MAX_TIMER_MS = 2 ** 31 - 1

/** Executes a job in its own folder, and leaves no folder or process behind. */
export async function executeJob(request: JobRequest, root: string): Promise<JobResult> {
  const folders = await createJobFolders(root, request.repo.name)
  const session = new JobSession(request, folders)
  try {
    return await execute(session)
  } finally {
    await killOwned(session.owner)
    await removeJobFolders(folders)
  }
}

async function execute(session: JobSession): Promise<JobResult> {
  const { box, job, cancellation, definition } = session.request
  const frame: Frame = { status: 'success', results: {}, env: {}, depth: 0 }
  const board = new StepBoard(box, job.id)
  const prepared = new Map<StepDefinition, ActionCall>()
  const ready = await board.show('Set up job', () => attempt(session, () => setUp(session, frame, prepared)))
  if (ready === 'failure') return { conclusion: 'failure', outputs: {} }
  const timer = startTimer(session, frame)
  await runPres(session, { frame, board, prepared })
  for (const step of definition.steps) {
    await board.show(stepName(session, frame, step), () => runStep(session, frame, step, prepared))
  }
  for (const post of session.posts.toReversed()) {
    const outcome = await board.show(post.name, () => attempt(session, post.run))
    if (outcome === 'failure') frame.status = 'failure'
  }
  clearTimeout(timer)
  const outputs = readOutputs(session, frame)
  await board.show('Complete job', async () => {
    saveSummary(box, job.id, session.summaries)
    return 'success'
  })
  return { conclusion: cancellation.isRequested ? 'cancelled' : frame.status, outputs }
}

async function setUp(
  session: JobSession,
  frame: Frame,
  prepared: Map<StepDefinition, ActionCall>,
): Promise<Outcome> {
  const { request, log, folders } = session
  log.write('Sandbox runner')
  await writeFile(`${folders.temp}/event.json`, JSON.stringify(request.run.payload))
  for (const map of [request.workflow.env, request.definition.env]) {
    Object.assign(session.env, evaluateTexts(map, session.scope(frame)))
  }
  for (const step of request.definition.steps) {
    // A local action is not checked out yet. As on GitHub, its `pre` never runs.
    if (step.uses === undefined || isLocalAction(step.uses)) continue
    const action = await findAction(session, step.uses)
    prepared.set(step, { action, step, frame, state: new Map() })
  }
  return 'success'
}

async function runPres(
  session: JobSession,
  { frame, board, prepared }: { frame: Frame; board: StepBoard; prepared: PreparedCalls },
): Promise<void> {
  for (const call of prepared.values()) {
    if (!isJavascript(call.action) || call.action.runs.pre === undefined) continue
    const condition = call.action.runs.preCondition ?? 'always()'
    const isWanted = (): boolean => evaluateCondition(condition, session.scope(frame))
    const outcome = await board.show(`Pre ${stepName(session, frame, call.step)}`, () =>
      attempt(session, async () => {
        if (!isWanted()) return 'skipped'
        const inputs = readInputs(call, session.scope(frame))
        const command = { env: {}, timeoutMs: DEFAULT_TIMEOUT_MINUTES * MINUTE_MS }
        const result = await session.request.cancellation.guard(isWanted, (signal) =>
          runJavascript(session, call, { part: 'pre', inputs, command: { ...command, signal } }),
        )
        return result.outcome
      }),
    )
    if (outcome === 'failure') frame.status = 'failure'
  }
}

// GitHub cancels a job that takes too long. Steps with `always()` still run.
function startTimer(session: JobSession, frame: Frame): NodeJS.Timeout {
  const { definition, cancellation } = session.request
  const minutes = Number(
    evaluateText(definition.timeoutMinutes, session.scope(frame)) || DEFAULT_TIMEOUT_MINUTES,
  )
  return setTimeout(
    () => {
      session.log.error(`The job has exceeded the maximum execution time of ${minutes} minutes.`)
      cancellation.request()
    },
    Math.min(minutes * MINUTE_MS, MAX_TIMER_MS),
  )
}

// Other jobs and the web page see outputs, so one that contains a secret is left out.
function readOutputs(session: JobSession, frame: Frame): Record<string, string> {
  const all = evaluateTexts(session.request.definition.outputs, session.scope(frame))
  const open = Object.entries(all).filter(([name, value]) => {
    const isOpen = session.log.masks.hide(value) === value
    if (!isOpen) session.log.write(`##[warning]Skip output '${name}' since it may contain secret.`)
    return isOpen
  })
  return Object.fromEntries(open)
}

const MAX_CHARS = 65_535

/** Shows the job's GITHUB_STEP_SUMMARY as the summary of its check run. */
function saveSummary(box: Box, jobId: number, summaries: readonly string[]): void {
  const check = checkRuns(box.store).find(jobId)
  if (check === undefined || summaries.length === 0) return
  const summary = summaries.join('\n').slice(0, MAX_CHARS)
  checkRuns(box.store).put(jobId, { ...check, output: { ...check.output, title: 'Summary', summary } })
}
