import type { Agent, Brief } from '../../agents/agent.ts'
import type { AgentUsage } from '../../agents/meter.ts'
import type { CampaignConfig } from '../../config/campaign-config.ts'
import { addUsage, type Usage } from '../../core/budget/budget.ts'
import type { Direction } from '../../core/campaign/control.ts'
import type { Job } from '../../core/campaign/job.ts'
import type { LedgerEntry } from '../../core/campaign/ledger.ts'
import { linesSeen, recall } from '../../core/planning/recall.ts'
import { rngFor } from '../../core/rng.ts'
import type { PathChange } from '../../git/listing.ts'
import { findScopeExceptions, type ScopeException } from '../../guard/scope-exceptions.ts'
import type { Proposed } from '../../protocol/proposal.ts'
import type { ResultOutcome } from '../../protocol/result.ts'
import { countChange } from '../describing/change-stats.ts'
import { tryDescribe } from '../describing/describer.ts'
import { type JobContext, jobFolder } from '../job-context.ts'
import { createWithheld, type Withheld } from '../workspace/withheld.ts'
import type { AgentChecks } from './agent-check.ts'
import type { RunPrograms } from './patience.ts'
import { propose } from './propose.ts'

/** What proposing asks of its host. */
export interface ProposingHost {
  readonly agent: Agent
  /**
   * Whether checks may run candidate code without isolation, as on a maintainer's own machine. On a runner, code that
   * runs as our user could read the model's key.
   */
  readonly checksUnisolated?: boolean | undefined
  /** Runs programs of agents and checks when there is room for them; undefined: at once. */
  readonly runPrograms?: RunPrograms | undefined
  /** The issue that started the campaign, if one did. */
  direction(): Direction | undefined
  /** The first `lines` lines of the ledger, by ordinal. */
  readHistory(lines: number): Promise<ReadonlyMap<number, LedgerEntry>>
  /** Whether a candidate with this tree has finished before. */
  isKnownTree(tree: string): Promise<boolean>
  /** Called as soon as costs are known: a later fault must not hide them. */
  spent?(usage: AgentUsage): void
}

/** The outcome of an agent's half of a job, with what the agent was told, said and spent. */
export type Proposal = Said &
  (
    | {
        readonly status: 'proposed'
        readonly tree: string
        /** What differs from the campaign's root. */
        readonly changes: readonly PathChange[]
        readonly summary: string
        readonly card: Proposed['card']
        readonly descriptor: Proposed['descriptor']
      }
    | Exclude<ResultOutcome, { status: 'measured' }>
  )

interface Said {
  readonly brief: Brief
  readonly plan: string
  readonly transcript?: string | undefined
  /** The models that planned and coded. */
  readonly models: readonly string[]
  readonly usage: Usage
}

/** Lets the agent make a candidate. Its randomness comes from the campaign's seed and the ordinal alone. */
export async function proposeCandidate(
  context: JobContext,
  job: Job,
  host: ProposingHost,
  signal: AbortSignal,
): Promise<Proposal | { readonly status: 'aborted' }> {
  const startedMs = performance.now()
  const { config } = context
  const history = await host.readHistory(linesSeen(job))
  const withheld = withheldFromAgents(context)
  const exceptions = exceptionsFor(context, withheld)
  const brief = createBrief(config, { job, history, direction: host.direction(), exceptions })
  const work = await propose({
    job,
    agent: host.agent,
    brief,
    guard: context.guard,
    preparedRoot: context.preparedRoot,
    withheld,
    objects: context.objects,
    folder: jobFolder(context, job),
    path: context.path,
    rng: rngFor(config.search.seed, job.ordinal, 'agent'),
    timeoutMs: config.agent.timeoutSeconds * 1000,
    maxDiskBytes: config.evaluation.maxDiskBytes,
    owner: context.owner,
    signal,
    rework: config.agent.rework,
    isolation: context.isolation,
    passedEnvironment: context.passedEnvironment,
    runPrograms: host.runPrograms,
    checks: context.isolation || host.checksUnisolated ? checksOf(config) : { gates: [] },
  })
  if (work.status === 'aborted') return work
  host.spent?.(work.usage)
  const { plan, transcript, models } = work
  const runnerMs = Math.round(performance.now() - startedMs - work.waitedMs)
  const usage = { ...work.usage, runnerMs }
  const said = { plan, transcript, models, brief, usage }
  if (work.status === 'failed') return { status: 'failed', reason: work.reason, detail: work.detail, ...said }
  const { tree, summary, card, changes } = work
  if (await host.isKnownTree(tree)) return { status: 'duplicate', tree, summary, ...said }
  // Before measuring, which costs more: a candidate without a description cannot enter the archive.
  const { usage: paid, ...described } = await tryDescribe(context.describer, changes)
  host.spent?.(paid)
  const total = { ...said, usage: addUsage(usage, { ...paid, runnerMs: 0 }) }
  if (described.status === 'failed') return { ...described, tree, summary, ...total }
  const descriptor = { change: await countChange(changes, context.objects), embedding: described.embedding }
  return { status: 'proposed', tree, changes, summary, card, descriptor, ...total }
}

/** What an agent is told. */
function createBrief(
  config: CampaignConfig,
  known: {
    readonly job: Job
    /** What the agent may know: the first `linesSeen(job)` lines of the ledger, by ordinal. */
    readonly history: ReadonlyMap<number, LedgerEntry>
    readonly direction: Direction | undefined
    readonly exceptions: readonly ScopeException[]
  },
): Brief {
  const { job, history, direction, exceptions } = known
  return {
    ...recall(config, job, history),
    goal: config.goal,
    constraints: config.constraints,
    acceptance: config.acceptance,
    notes: config.notes,
    direction: direction && { title: direction.title, body: direction.body },
    operator: job.operator,
    lens: config.search.lenses.find(({ name }) => name === job.lens),
    scope: {
      editable: config.scope.editable,
      protected: config.scope.protected,
      ...(exceptions.length > 0 && { exceptions }),
    },
  }
}

function exceptionsFor({ guard, preparedRoot }: JobContext, withheld: Withheld) {
  const paths = preparedRoot.rootFiles.map(({ path }) => path)
  return findScopeExceptions(
    guard,
    paths.filter((path) => !withheld.includes(path)),
  )
}

// The config names the held-out command, which agents must not know.
function withheldFromAgents({ config, preparedRoot }: JobContext): Withheld {
  const paths = config.evaluation.heldOut?.paths ?? []
  return createWithheld(['.loreley.yml', ...paths], preparedRoot.rootFiles)
}

function checksOf({ agent, evaluation }: CampaignConfig): AgentChecks {
  const { check, checkTimeoutSeconds } = agent
  return {
    own:
      check === undefined
        ? undefined
        : { name: 'check', command: check, timeoutSeconds: checkTimeoutSeconds },
    gates: evaluation.gates,
  }
}
