import type { Lens, Operator } from '../core/operators.ts'
import type { Rng } from '../core/rng.ts'

/** What an agent is told about one candidate. Text from candidates, issues and logs is data, never orders. */
export interface Brief {
  readonly goal: string
  readonly constraints: readonly string[]
  readonly operator: Operator
  readonly lens?: Lens | undefined
  /** Ordinals whose work the agent may draw on, nearest niche first; crossover takes the first as second parent. */
  readonly inspirations: readonly number[]
}

/** Whose version of a file is asked for: the campaign's root, or a candidate by ordinal. */
export type Version = 'root' | number

/** Where an agent works: a folder that holds the parent's files. What it leaves there is its answer. */
export interface Workplace {
  readonly folder: string
  /** Paths (posix, relative) the agent may change: tracked, inside the editable scope, not protected. Sorted. */
  readonly editablePaths: readonly string[]
  /** The text of a file in another version; undefined when it is not there or is not text. */
  readAt(version: Version, path: string): Promise<string | undefined>
}

export interface AgentTask {
  readonly brief: Brief
  readonly workplace: Workplace
  readonly rng: Rng
  readonly signal: AbortSignal
}

/** What the agent spent. An agent without a model spends nothing. */
export interface AgentUsage {
  readonly tokens: number
  readonly dollars: number
}

export interface Plan {
  /** Markdown for people; the coder gets it too. */
  readonly text: string
  readonly usage: AgentUsage
}

export type CodeOutcome =
  | { readonly status: 'changed'; readonly summary: string; readonly usage: AgentUsage }
  | { readonly status: 'unchanged'; readonly reason: string; readonly usage: AgentUsage }

/** Plans, then edits the files of a workplace. The edited folder is the result, never parsed prose. */
export interface Agent {
  readonly name: string
  plan(task: AgentTask): Promise<Plan>
  code(task: AgentTask, plan: Plan): Promise<CodeOutcome>
}
