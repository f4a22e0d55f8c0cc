import { addUsage, NO_USAGE, type Usage } from '../../core/budget/budget.ts'
import { mostOfJob } from '../../core/budget/stop-rules.ts'
import type { Job, JobResult } from '../../core/campaign/job.ts'
import { candidateId } from '../../core/candidate/candidate-id.ts'
import { renderCommitMessage } from '../../core/candidate/commit-message.ts'
import type { RunnerFacts } from '../../core/measuring/provenance.ts'
import type { FailureReason } from '../../core/measuring/verdict.ts'
import type { CandidateOutcome } from '../../github/git/candidates.ts'
import { explainRun, findAnnotation } from '../../github/runs/explain-run.ts'
import { type CollectedResults, collectResults } from '../../github/runs/run-results.ts'
import { findRun, listJobs, type RunFacts } from '../../github/runs/runs.ts'
import { judgeRun, type RunTrust } from '../../github/runs/trusted-run.ts'
import type { Guard } from '../../guard/guard.ts'
import { type DispatchInputs, findBindingInJobName, isEvaluation } from '../../protocol/dispatch.ts'
import { assembleResult, type CandidateCommit } from '../../protocol/job-result.ts'
import type { Proposed } from '../../protocol/proposal.ts'
import type { Snapshot } from '../../store/state-store.ts'
import type { ActorPort, ApiPort, CommitsPort, Evaluation, EvaluationsPort } from '../ports.ts'
import { inputsOf } from './job-runs.ts'
import { costOfRun } from './run-cost.ts'
import { runnerBranch, WORKFLOW_PATH } from './workflow.ts'

/** A job's result, and what people may read about it. */
export interface RunOutcome {
  readonly result: JobResult
  /** Somebody ran it again by hand, so its artifacts are no longer those of one run. The candidate is not at fault. */
  readonly ranAgain?: true
  readonly plan?: string | undefined
  /** The conversation between the agent and its model. */
  readonly transcript?: string | undefined
}

/** The ports that reading a run needs. */
type Tools = ActorPort & ApiPort & CommitsPort & EvaluationsPort

type Collected = Extract<CollectedResults, { status: 'collected' }> & Pick<Evaluation, 'label'>
type Faulty = Extract<CollectedResults, { status: 'failed' }>

/** Reads the artifacts of a completed run. It trusts only what GitHub's own records confirm. */
export class RunOutcomes {
  readonly #tools: Tools
  readonly #guardOf: (snapshot: Snapshot) => Promise<Guard>

  constructor(tools: Tools, guardOf: (snapshot: Snapshot) => Promise<Guard>) {
    this.#tools = tools
    this.#guardOf = guardOf
  }

  /** Whether we dispatched this run for this campaign, according to GitHub's own records. */
  trust(snapshot: Snapshot, run: RunFacts): RunTrust {
    return judgeRun(run, this.#expected(snapshot, run.id))
  }

  async read(snapshot: Snapshot, job: Job, run: RunFacts): Promise<RunOutcome> {
    const trust = this.trust(snapshot, run)
    if (trust.status === 'distrusted' && trust.reason === 'ran-again')
      return await this.#failRanAgain(snapshot, job, run)
    if (trust.status === 'distrusted')
      return failed('infrastructure', `run ${run.id} is not the one that was dispatched: ${trust.reason}`)
    if (run.conclusion === 'cancelled') {
      const jobs = await listJobs(this.#tools.api, run.id)
      return failed(
        'cancelled',
        `run ${run.id} was cancelled`,
        await costOfRun(this.#tools.api, { id: run.id, snapshot, job, jobs }),
      )
    }
    const { kind, candidate, nonce } = inputsOf(snapshot, job)
    const { binding, label } = await this.#getEvaluation(run.id, kind)
    const { id: runId, conclusion } = run
    const expected = { runId, conclusion, kind, candidate, attempt: job.attempt, nonce, binding }
    const collected = await collectResults(this.#tools.api, { ...expected, base: job.parent.commit })
    if (collected.status === 'failed') {
      // Its webhook came before somebody ran it again.
      const now = await findRun(this.#tools.api, run.id)
      if (now !== undefined && now.attempt > run.attempt) return await this.#failRanAgain(snapshot, job, run)
      return await this.#explain(snapshot, job, run, collected)
    }
    return await this.#judge(snapshot, job, { ...collected, label })
  }

  async #failRanAgain(snapshot: Snapshot, job: Job, { id }: RunFacts): Promise<RunOutcome> {
    const { api } = this.#tools
    const usage = await costOfRun(api, { id, snapshot, job, jobs: await listJobs(api, id) })
    return { ...failed('infrastructure', `run ${id} was run again by hand`, usage), ranAgain: true }
  }

  // The job's webhook saves this request if it was complete. For a candidate it must name the proposal.
  async #getEvaluation(run: number, kind: DispatchInputs['kind']): Promise<Evaluation> {
    const noted = this.#tools.evaluations.get(String(run))
    if (noted !== undefined && (noted.binding !== undefined || kind !== 'candidate')) return noted
    const found = (await listJobs(this.#tools.api, run))
      .filter(({ name }) => isEvaluation(name))
      .map(({ name, label }): Evaluation => ({ binding: findBindingInJobName(name), label }))
    return found.find(({ binding }) => binding !== undefined) ?? found[0] ?? {}
  }

  // Something in the run replaced our document, and only the candidate's code could. The full reservation is charged:
  // otherwise hiding the cost would make a run free.
  async #explain(
    snapshot: Snapshot,
    job: Job,
    run: RunFacts,
    { fault, detail }: Faulty,
  ): Promise<RunOutcome> {
    const most = mostOfJob(job, snapshot.state.campaign.reserved)
    if (fault !== 'result-missing') return failed('output-unreadable', `${fault}: ${detail}`, most)
    const jobs = await listJobs(this.#tools.api, run.id)
    const annotation = await findAnnotation(this.#tools.api, jobs)
    const trouble = explainRun(run, jobs, { nowMs: Date.parse(run.createdAt), annotation })
    const why =
      trouble === undefined
        ? `It ended with ${run.conclusion} and left no result.`
        : `${trouble.message} ${trouble.remedy}`
    return failed(
      'infrastructure',
      `run ${run.id}: ${why}`,
      await costOfRun(this.#tools.api, { id: run.id, snapshot, job, jobs }),
    )
  }

  #expected({ state }: Snapshot, id: number) {
    return {
      id,
      repositoryId: this.#tools.api.repository.id,
      path: WORKFLOW_PATH,
      branch: runnerBranch(state.campaign.id),
      sha: state.campaign.root.commit,
      actor: this.#tools.actor,
    }
  }

  async #judge(snapshot: Snapshot, job: Job, { result, proposal, label }: Collected): Promise<RunOutcome> {
    const { outcome, isolation } = result
    const { plan, transcript } = proposal?.outcome ?? {}
    if (outcome.status === 'measured' && proposal === undefined && outcome.tree !== job.parent.tree)
      return failed('output-unreadable', `it measured ${outcome.tree}, not ${job.parent.tree}`)
    const proposed = proposal?.outcome.status === 'proposed' ? proposal.outcome : undefined
    const runner = runnerOf(result.runner.image, label)
    const usage = addUsage(result.usage, proposal?.outcome.usage ?? NO_USAGE)
    const found = { proposed, outcome, isolation, runner, usage }
    return {
      result: await assembleResult(job, found, (made) => this.#commit(snapshot, job, made)),
      plan,
      transcript,
    }
  }

  async #commit(snapshot: Snapshot, job: Job, { files, tree, ...said }: Proposed): Promise<CandidateCommit> {
    const { campaign } = snapshot.state
    const candidate = candidateId(campaign.id, job.ordinal)
    const agent = snapshot.config.agent.use
    const message = renderCommitMessage({ campaign: campaign.id, candidate, job, agent, ...said })
    const { commit, tree: baseTree } = job.parent
    const draft = { base: { commit, tree: baseTree }, files, tree, message }
    const made = await this.#tools.candidates.make(draft, await this.#guardOf(snapshot))
    if (made.status === 'made') return made
    return { status: 'refused', detail: explainUnmade(made).slice(0, 2000).toWellFormed() }
  }
}

function explainUnmade(made: Exclude<CandidateOutcome, { status: 'made' }>): string {
  switch (made.status) {
    case 'blocked':
      return `${made.reason}: ${made.paths.slice(0, 10).join(', ')}`
    case 'base-differs':
      return `${made.status}: ${made.path}`
    case 'tree-differs':
      return `${made.status}: ${made.made}`
    case 'push-rule':
      return `push-rule: GitHub did not take its files: ${made.message}. See the rulesets for pushes, or keep such paths out of \`scope\`.`
  }
}

function runnerOf(image: string, label: string | undefined): RunnerFacts | undefined {
  const facts = { ...(image !== '' && { image }), ...(label !== undefined && { label }) }
  return Object.keys(facts).length === 0 ? undefined : facts
}

function failed(reason: FailureReason, detail: string, usage: Usage = NO_USAGE): RunOutcome {
  return { result: { status: 'failed', reason, detail, usage } }
}
