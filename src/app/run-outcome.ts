import { addUsage, NO_USAGE } from '../core/budget.ts'
import type { Job, JobResult } from '../core/campaign.ts'
import { candidateId } from '../core/candidate-id.ts'
import { renderCommitMessage } from '../core/commit-message.ts'
import type { FailureReason } from '../core/verdict.ts'
import { explainRun, findAnnotation } from '../github/explain-run.ts'
import { type CollectedResults, collectResults } from '../github/run-results.ts'
import { listJobs, type RunFacts } from '../github/runs.ts'
import { judgeRun, type RunTrust } from '../github/trusted-run.ts'
import type { Guard } from '../guard/guard.ts'
import { findBindingInJobName, type ProposalBinding } from '../protocol/dispatch.ts'
import type { ProposalDocument } from '../protocol/proposal.ts'
import type { Snapshot } from '../store/state-store.ts'
import { inputsOf } from './job-runs.ts'
import { type RepositoryTools, runnerBranch, WORKFLOW_PATH } from './repository-tools.ts'

/** What came of a job, and what people may read about it. */
export interface RunOutcome {
  readonly result: JobResult
  readonly plan?: string | undefined
  /** What was said between the agent and its model. */
  readonly transcript?: string | undefined
}

/** What reading a run takes of the app's tools. */
type Tools = Pick<RepositoryTools, 'api' | 'candidates' | 'actor' | 'bindings'>

type Collected = Extract<CollectedResults, { status: 'collected' }>
type Faulty = Extract<CollectedResults, { status: 'failed' }>
type Proposed = Extract<ProposalDocument['outcome'], { status: 'proposed' }>

/** Reads what a completed run left. It is trusted only as far as GitHub's own records carry. */
export class RunOutcomes {
  readonly #tools: Tools
  readonly #guardOf: (snapshot: Snapshot) => Promise<Guard>

  constructor(tools: Tools, guardOf: (snapshot: Snapshot) => Promise<Guard>) {
    this.#tools = tools
    this.#guardOf = guardOf
  }

  /** Whether a run is one that we dispatched for this campaign, as GitHub's own records tell. */
  trust(snapshot: Snapshot, run: RunFacts): RunTrust {
    return judgeRun(run, this.#expected(snapshot, run.id))
  }

  async read(snapshot: Snapshot, job: Job, run: RunFacts): Promise<RunOutcome> {
    const trust = this.trust(snapshot, run)
    if (trust.status === 'distrusted')
      return failed('infrastructure', `run ${run.id} is not the one that was dispatched: ${trust.reason}`)
    if (run.conclusion === 'cancelled') return failed('cancelled', `run ${run.id} was cancelled`)
    const { kind, candidate, nonce } = inputsOf(snapshot, job)
    const binding = this.#tools.bindings.get(String(run.id)) ?? (await this.#findBinding(run.id))
    const expected = { runId: run.id, kind, candidate, attempt: job.attempt, nonce, binding }
    const collected = await collectResults(this.#tools.api, { ...expected, base: job.parent.commit })
    if (collected.status === 'failed') return await this.#explain(run, collected)
    return await this.#judge(snapshot, job, collected)
  }

  async #findBinding(run: number): Promise<ProposalBinding | undefined> {
    const jobs = await listJobs(this.#tools.api, run)
    return jobs.map(({ name }) => findBindingInJobName(name)).find((found) => found !== undefined)
  }

  // Somebody in the run put something else in the place of ours: that somebody is the candidate.
  async #explain(run: RunFacts, { fault, detail }: Faulty): Promise<RunOutcome> {
    if (fault !== 'result-missing') return failed('output-unreadable', `${fault}: ${detail}`)
    const jobs = await listJobs(this.#tools.api, run.id)
    const annotation = await findAnnotation(this.#tools.api, jobs)
    const trouble = explainRun(run, jobs, { nowMs: Date.parse(run.createdAt), annotation })
    const why =
      trouble === undefined
        ? `It ended with ${run.conclusion} and left no result.`
        : `${trouble.message} ${trouble.remedy}`
    return failed('infrastructure', `run ${run.id}: ${why}`)
  }

  #expected({ state }: Snapshot, id: number) {
    return {
      id,
      repositoryId: this.#tools.api.place.id,
      path: WORKFLOW_PATH,
      branch: runnerBranch(state.campaign.id),
      sha: state.campaign.root.commit,
      actor: this.#tools.actor,
    }
  }

  async #judge(snapshot: Snapshot, job: Job, { result, proposal }: Collected): Promise<RunOutcome> {
    const { outcome } = result
    const proposed = proposal?.outcome.status === 'proposed' ? proposal.outcome : undefined
    const usage = addUsage(result.usage, proposal?.outcome.usage ?? NO_USAGE)
    const { plan, transcript } = proposal?.outcome ?? {}
    const said = { plan, transcript }
    if (outcome.status === 'failed') {
      const { reason, detail, tree } = outcome
      return {
        ...said,
        result: { status: 'failed', reason, detail, tree, summary: proposed?.summary, usage },
      }
    }
    if (outcome.status === 'duplicate')
      return { ...said, result: { ...outcome, summary: proposed?.summary ?? '', usage } }
    const measured = {
      status: 'measured',
      tree: outcome.tree,
      metrics: outcome.metrics,
      samples: outcome.samples,
      usage,
    } as const
    if (proposed === undefined) return measureParent(job, { ...measured, embedding: outcome.embedding })
    const made = await this.#commit(snapshot, job, proposed)
    if (made.status === 'failed') return { ...said, result: { ...made, usage } }
    const { descriptor, summary, card } = proposed
    return { ...said, result: { ...measured, commit: made.commit, ...descriptor, card, summary } }
  }

  async #commit(snapshot: Snapshot, job: Job, { files, tree, ...said }: Proposed) {
    const { campaign } = snapshot.state
    const candidate = candidateId(campaign.id, job.ordinal)
    const agent = snapshot.config.agent.use
    const message = renderCommitMessage({ campaign: campaign.id, candidate, job, agent, ...said })
    const { commit, tree: baseTree } = job.parent
    const draft = { base: { commit, tree: baseTree }, files, tree, message }
    const made = await this.#tools.candidates.make(draft, await this.#guardOf(snapshot))
    if (made.status === 'made') return made
    const detail =
      made.status === 'blocked'
        ? `${made.reason}: ${made.paths.slice(0, 10).join(', ')}`
        : `${made.status}: ${made.status === 'base-differs' ? made.path : made.made}`
    return { status: 'failed', reason: 'guard-blocked', detail: detail.slice(0, 2000), tree } as const
  }
}

// The root or a finished candidate was measured: its commit is there already.
function measureParent(
  { parent }: Job,
  measured: Omit<Extract<JobResult, { status: 'measured' }>, 'commit' | 'change' | 'summary'>,
): RunOutcome {
  if (measured.tree !== parent.tree)
    return failed('output-unreadable', `it measured ${measured.tree}, not ${parent.tree}`)
  const change = { files: 0, linesAdded: 0, linesRemoved: 0 }
  return { result: { ...measured, commit: parent.commit, change, summary: '' } }
}

function failed(reason: FailureReason, detail: string): RunOutcome {
  return { result: { status: 'failed', reason, detail, usage: NO_USAGE } }
}
