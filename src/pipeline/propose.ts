import { join } from 'node:path'
import type { Agent, AgentTask, Brief, CodeOutcome, Plan } from '../agents/agent.ts'
import { type AgentUsage, Meter } from '../agents/meter.ts'
import { Transcript } from '../agents/transcript.ts'
import type { Job } from '../core/campaign/job.ts'
import { type CommitCard, createCommitCard } from '../core/candidate/commit-card.ts'
import type { FailureReason } from '../core/measuring/verdict.ts'
import { cleanOutput } from '../core/redact-secrets.ts'
import type { Rng } from '../core/rng.ts'
import { diffTrees, type PathChange } from '../git/listing.ts'
import type { ObjectStore } from '../git/objects/object-store.ts'
import { writeTreeOf } from '../git/staging.ts'
import type { Guard } from '../guard/guard.ts'
import type { Isolation } from '../process/isolation/isolation.ts'
import { type AgentChecks, createCheck } from './agent-check.ts'
import { checkTrees, describeBlock } from './campaign-guard.ts'
import { countFiles } from './change-stats.ts'
import type { Withheld } from './withheld.ts'
import { createWorkFolder, type WorkFolder } from './work-folder.ts'
import { createWorkplace } from './workplace.ts'
import type { Workshop } from './workshop.ts'

export interface ProposalOrder {
  readonly job: Job
  readonly agent: Agent
  readonly brief: Brief
  readonly guard: Guard
  readonly workshop: Workshop
  /** What the agent does not get; the tree keeps it. */
  readonly withheld: Withheld
  readonly objects: ObjectStore
  readonly place: string
  readonly path: string
  readonly rng: Rng
  readonly timeoutMs: number
  readonly maxDiskBytes: number
  readonly owner: string
  readonly signal: AbortSignal
  readonly checks: AgentChecks
  /** What `evaluation.environment` lets the gates see. */
  readonly passedEnvironment: Readonly<Record<string, string>>
  /** Whether refused work gets a second pass. */
  readonly rework: boolean
  readonly isolation?: Isolation | undefined
}

/** What an agent said and spent on the way, however it ended. */
interface Account {
  readonly usage: AgentUsage
  readonly plan: string
  /** Undefined when nothing was said: an agent without a model. */
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

/** What an agent left behind, if the guard lets it pass. */
export type AgentWork = (Judged & Account) | { readonly status: 'aborted' }

// Longer texts would be refused when the state is read again.
const TEXT_CHARACTERS = 1000
const PLAN_CHARACTERS = 10_000

/** Lets an agent work on the parent's files, and takes what it leaves as a tree, if the guard lets it pass. */
export async function propose(order: ProposalOrder): Promise<AgentWork> {
  const { repository } = order.workshop.area
  const inherited = await diffTrees(repository, order.workshop.rootTree, order.job.parent.tree)
  const folder = await createWorkFolder({
    place: join(order.place, 'agent'),
    template: order.workshop.template,
    without: order.withheld.places,
    maxDiskBytes: order.maxDiskBytes,
    changes: inherited.map(({ pathBytes, after }) => ({ pathBytes, version: after })),
    objects: order.objects,
    path: order.path,
    owner: order.owner,
  })
  const task: AgentTask = {
    brief: order.brief,
    workspace: createWorkplace(order, folder, inherited),
    rng: order.rng,
    signal: AbortSignal.any([order.signal, AbortSignal.timeout(order.timeoutMs)]),
    meter: new Meter(),
    transcript: new Transcript(order.agent.secrets),
  }
  try {
    return await new Attempt(order, folder, task).run()
  } finally {
    await folder.remove()
  }
}

/** One agent at work on one candidate: plan, code, and at most one pass more. */
class Attempt {
  readonly #order: ProposalOrder
  readonly #folder: WorkFolder
  readonly #task: AgentTask
  readonly #models = new Set<string>()
  #plan: Plan = { text: '' }

  constructor(order: ProposalOrder, folder: WorkFolder, task: AgentTask) {
    this.#order = order
    this.#folder = folder
    this.#task = task
  }

  async run(): Promise<AgentWork> {
    const { agent, signal } = this.#order
    try {
      this.#plan = await agent.plan(this.#task)
      this.#noteModel(this.#plan)
      const judged = await this.#workAndMend()
      return signal.aborted ? { status: 'aborted' } : { ...judged, ...this.#account() }
    } catch (error) {
      if (signal.aborted) return { status: 'aborted' }
      // One agent's fault is one candidate's failure: it must not end the campaign.
      return { ...this.#failed('agent-failed', error), ...this.#account() }
    }
  }

  async #workAndMend(): Promise<Judged> {
    const first = await this.#pass(this.#task)
    if (!this.#order.rework || !this.#order.agent.canRework) return first
    const refusal = await this.#findRefusal(first)
    if (refusal === undefined) return first
    this.#task.transcript.add('refused', refusal)
    const second = await this.#pass({ ...this.#task, rework: refusal })
    // An agent that has nothing to mend leaves what it had.
    return second.status === 'failed' && second.reason === 'no-change' ? first : second
  }

  async #pass(task: AgentTask): Promise<Judged> {
    const coded = await this.#order.agent.code(task, this.#plan)
    if (coded.status === 'unchanged') return this.#failed('no-change', coded.reason)
    this.#noteModel(coded)
    return await this.#judge(coded)
  }

  /** What the agent should mend: what the guard refused, or what a check says. */
  async #findRefusal(judged: Judged): Promise<string | undefined> {
    if (judged.status === 'failed')
      return judged.reason === 'guard-blocked' ? `the change is not allowed: ${judged.detail}` : undefined
    const { own, gates } = this.#order.checks
    const lines = [...(own ? [own] : []), ...gates]
    if (lines.length === 0) return undefined
    const { passed, output } = await createCheck(this.#order, this.#folder, lines)(this.#task.signal)
    return passed ? undefined : output
  }

  async #judge({ summary }: CodeOutcome & { status: 'changed' }): Promise<Judged> {
    const { workshop, guard, objects, job } = this.#order
    const { repository } = workshop.area
    const { files, indexFile } = this.#folder
    const withheld = this.#order.withheld.tracked
    const tree = await writeTreeOf(workshop.area, { files, indexFile, withheld })
    const { changes: own, verdict } = await checkTrees({ repository, objects, guard }, job.parent.tree, tree)
    if (own.length === 0) return this.#failed('no-change', 'the files are as they were')
    if (verdict.status === 'blocked') return this.#failed('guard-blocked', describeBlock(verdict))
    return {
      status: 'proposed',
      tree,
      changes: await diffTrees(repository, workshop.rootTree, tree),
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
    return cleanOutput(text, maxCharacters, this.#order.agent.secrets)
  }
}
