import { join } from 'node:path'
import type { Agent, AgentTask, Brief, CodeOutcome, Plan } from '../../agents/agent.ts'
import { type AgentUsage, Meter } from '../../agents/meter.ts'
import { Transcript } from '../../agents/transcript.ts'
import { type CommitCard, createCommitCard } from '../../core/candidate/commit-card.ts'
import type { FailureReason } from '../../core/measuring/verdict.ts'
import { cleanOutput } from '../../core/redact-secrets.ts'
import type { Rng } from '../../core/rng.ts'
import { LoreleyError } from '../../errors.ts'
import { diffTrees, type PathChange } from '../../git/listing.ts'
import { MissingObjectError } from '../../git/objects/object-store.ts'
import { writeTreeOf } from '../../git/staging.ts'
import { countFiles } from '../describing/change-stats.ts'
import { checkTrees, describeBlock } from '../guard-trees.ts'
import { findTrackedRoot } from '../workspace/shared-root.ts'
import { createWorkspace, type Workspace } from '../workspace/workspace.ts'
import { createCheck } from './agent-check.ts'
import { type AgentWorkspaceOptions, createAgentWorkspace } from './agent-workspace.ts'
import { Patience, type RunPrograms } from './patience.ts'

/** A request for an agent to make one candidate. */
export interface ProposeRequest extends AgentWorkspaceOptions {
  readonly agent: Agent
  readonly brief: Brief
  readonly rng: Rng
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Whether refused work gets a second pass. */
  readonly rework: boolean
}

/** What an agent said and spent, however it ended. */
interface Account {
  readonly usage: AgentUsage
  readonly plan: string
  /** Undefined for an agent without a model. */
  readonly transcript?: string | undefined
  /** The models that planned and coded. */
  readonly models: readonly string[]
}

type Judged =
  | {
      readonly status: 'proposed'
      readonly tree: string
      /** What differs from the campaign's root. */
      readonly changes: readonly PathChange[]
      readonly summary: string
      /** What differs from the parent. */
      readonly card: CommitCard
    }
  | { readonly status: 'failed'; readonly reason: FailureReason; readonly detail: string }

/** The result of an agent's work, if the guard accepts it. */
export type AgentWork = Attempted<{
  /** How long its programs waited for their turn. */
  readonly waitedMs: number
}>

type Attempted<More = unknown> = (Judged & Account & More) | { readonly status: 'aborted' }

// The state's reader refuses longer texts.
const TEXT_CHARACTERS = 1000
const PLAN_CHARACTERS = 10_000

/** Lets an agent work on the parent's files, and takes the result as a tree if the guard lets it pass. */
export async function propose(given: ProposeRequest): Promise<AgentWork> {
  const { preparedRoot, agent, isolation, objects } = given
  const { repository } = preparedRoot.area
  const isBare = agent.runsPrograms !== true && isolation?.sharesLayers === true
  const inherited = await diffTrees(repository, preparedRoot.rootTree, given.job.parent.tree)
  const workspace = await createWorkspace({
    folder: join(given.folder, 'agent'),
    template: isBare ? await findTrackedRoot(preparedRoot, objects) : preparedRoot.template,
    without: given.withheld.paths,
    maxDiskBytes: given.maxDiskBytes,
    changes: inherited.map(({ pathBytes, after }) => ({ pathBytes, version: after })),
    objects,
    path: given.path,
    owner: given.owner,
  })
  const patience = new Patience(given.timeoutMs)
  const request = { ...given, isBare, runPrograms: patience.during(given.runPrograms) }
  const task: AgentTask = {
    brief: request.brief,
    workspace: createAgentWorkspace(request, workspace, inherited),
    rng: request.rng,
    signal: AbortSignal.any([request.signal, patience.signal]),
    meter: new Meter(),
    transcript: new Transcript(request.agent.secrets),
  }
  try {
    const work = await new Attempt(request, workspace, task).run()
    return work.status === 'aborted' ? work : { ...work, waitedMs: patience.waitedMs }
  } finally {
    patience.stop()
    await workspace.remove()
  }
}

type AttemptRequest = ProposeRequest & { readonly runPrograms: RunPrograms }

/** One agent at work on one candidate: plan, code, and at most one rework pass. */
class Attempt {
  readonly #request: AttemptRequest
  readonly #workspace: Workspace
  readonly #task: AgentTask
  readonly #models = new Set<string>()
  #plan: Plan = { text: '' }
  /** Whether the agent's files are a tree of the repository. */
  #isStored = false

  constructor(request: AttemptRequest, workspace: Workspace, task: AgentTask) {
    this.#request = request
    this.#workspace = workspace
    this.#task = task
  }

  async run(): Promise<Attempted> {
    const { agent, signal } = this.#request
    try {
      this.#plan = await this.#let(() => agent.plan(this.#task))
      this.#noteModel(this.#plan)
      const judged = await this.#workAndMend()
      return signal.aborted ? { status: 'aborted' } : { ...judged, ...this.#account() }
    } catch (error) {
      if (signal.aborted) return { status: 'aborted' }
      if (this.#isRepositoryFault(error)) throw error
      // An agent's fault fails one candidate, not the campaign.
      return { ...this.#failed('agent-failed', error), ...this.#account() }
    }
  }

  // Git may fail on files that an agent left. Once they are a tree, only missing objects make it fail.
  #isRepositoryFault(error: unknown): boolean {
    if (error instanceof MissingObjectError) return true
    return this.#isStored && error instanceof LoreleyError && error.code === 'git-failed'
  }

  async #workAndMend(): Promise<Judged> {
    const first = await this.#pass(this.#task)
    if (!this.#request.rework || !this.#request.agent.canRework) return first
    const refusal = await this.#findRefusal(first)
    if (refusal === undefined) return first
    this.#task.transcript.add('refused', refusal)
    const second = await this.#pass({ ...this.#task, rework: refusal })
    // An agent with nothing to fix keeps its first result.
    return second.status === 'failed' && second.reason === 'no-change' ? first : second
  }

  async #pass(task: AgentTask): Promise<Judged> {
    const coded = await this.#let(() => this.#request.agent.code(task, this.#plan))
    if (coded.status === 'unchanged') return this.#failed('no-change', coded.reason)
    this.#noteModel(coded)
    return await this.#judge(coded)
  }

  // An agent that waits for a model's answer disturbs nobody. One that is a program does.
  async #let<T>(work: () => Promise<T>): Promise<T> {
    const { agent, runPrograms } = this.#request
    return await (agent.runsPrograms === true ? runPrograms(work) : work())
  }

  /** What the agent should fix: the guard's refusal, or a check's output. */
  async #findRefusal(judged: Judged): Promise<string | undefined> {
    if (judged.status === 'failed')
      return judged.reason === 'guard-blocked' ? `the change is not allowed: ${judged.detail}` : undefined
    const { own, gates } = this.#request.checks
    const lines = [...(own ? [own] : []), ...gates]
    if (lines.length === 0) return undefined
    const { passed, output } = await createCheck(this.#request, this.#workspace, lines)(this.#task.signal)
    return passed ? undefined : output
  }

  async #judge({ summary }: CodeOutcome & { status: 'changed' }): Promise<Judged> {
    const { preparedRoot, guard, objects, job } = this.#request
    const { repository } = preparedRoot.area
    const { files, indexFile } = this.#workspace
    const withheld = this.#request.withheld.tracked
    this.#isStored = false
    const tree = await writeTreeOf(preparedRoot.area, { files, indexFile, withheld })
    this.#isStored = true
    const { changes: own, verdict } = await checkTrees({ repository, objects, guard }, job.parent.tree, tree)
    if (own.length === 0) return this.#failed('no-change', 'the files are as they were')
    if (verdict.status === 'blocked') return this.#failed('guard-blocked', describeBlock(verdict))
    return {
      status: 'proposed',
      tree,
      changes: await diffTrees(repository, preparedRoot.rootTree, tree),
      summary: this.#clean(summary, TEXT_CHARACTERS),
      card: createCommitCard(await countFiles(own, objects)),
    }
  }

  #account(): Account {
    const { meter, transcript } = this.#task
    return {
      usage: meter.usage,
      plan: this.#clean(this.#plan.text, PLAN_CHARACTERS),
      transcript: transcript.text(),
      models: [...this.#models],
    }
  }

  #failed(reason: FailureReason, cause: unknown): Judged & { status: 'failed' } {
    const said = cause instanceof Error ? cause.message : String(cause)
    return { status: 'failed', reason, detail: this.#clean(said, TEXT_CHARACTERS) }
  }

  #noteModel({ model }: { readonly model?: string | undefined }): void {
    if (model !== undefined) this.#models.add(model)
  }

  #clean(text: string, maxCharacters: number): string {
    return cleanOutput(text, maxCharacters, this.#request.agent.secrets)
  }
}
