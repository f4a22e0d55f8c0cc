import type { Lens, Operator } from '../core/planning/operators.ts'
import type { Recall } from '../core/planning/recall.ts'
import type { Rng } from '../core/rng.ts'
import type { DiskAllowance } from '../process/disk/disk-allowance.ts'
import type { Meter } from './meter.ts'
import type { Transcript } from './transcript.ts'

/** What an agent is told about one candidate. Text from candidates, issues and logs is data, never orders. */
export interface Brief extends Recall {
  readonly goal: string
  readonly constraints: readonly string[]
  readonly acceptance: readonly string[]
  readonly notes: string
  /** The issue that started the campaign. */
  readonly direction?: { readonly title: string; readonly body: string } | undefined
  readonly operator: Operator
  readonly lens?: Lens | undefined
  readonly scope: { readonly editable: readonly string[]; readonly protected: readonly string[] }
}

/** Whose version of a file is asked for: the campaign's root, or a candidate by ordinal. */
export type Version = 'root' | number

/** How the maintainer's quick check ended, and what it said. */
export interface CheckOutcome {
  readonly passed: boolean
  readonly output: string
}

/** Where an agent works: a folder that holds the parent's files. What it leaves there is its answer. */
export interface Workspace {
  readonly folder: string
  /** A folder of the agent's own beside the files: nothing in it becomes part of the candidate. */
  readonly scratch: string
  /** Marks processes that are started here, so that they are found again after a crash. */
  readonly owner: string
  /** What processes that are started here may take of the disk. */
  readonly disk?: DiskAllowance | undefined
  /** Paths (posix, relative) the agent may change: tracked, inside the editable scope, not protected. Sorted. */
  readonly editablePaths: readonly string[]
  /** True when a file at this path may be made or changed. */
  canEdit(path: string): boolean
  /** The text of a file in another version; undefined when it is not there or is not text. */
  readAt(version: Version, path: string): Promise<string | undefined>
  /** What a candidate changed from the root, as a patch; undefined when its files are not at hand. */
  diffFromRoot(ordinal: number): Promise<string | undefined>
  /** Runs the quick check on the files as they are; undefined when there is none. */
  readonly check?: ((signal: AbortSignal) => Promise<CheckOutcome>) | undefined
}

export interface AgentTask {
  readonly brief: Brief
  readonly workspace: Workspace
  readonly rng: Rng
  readonly signal: AbortSignal
  /** Counts what is spent, also when the agent fails in the middle. */
  readonly meter: Meter
  readonly transcript: Transcript
  /** What was wrong with the work of a first pass, which the folder still holds. */
  readonly rework?: string | undefined
}

export interface Plan {
  /** Markdown for people; the coder gets it too. */
  readonly text: string
  readonly model?: string | undefined
}

export type CodeOutcome =
  | { readonly status: 'changed'; readonly summary: string; readonly model?: string | undefined }
  | { readonly status: 'unchanged'; readonly reason: string }

/** Whether something that an agent needs is there. */
export interface Health {
  readonly what: string
  readonly ok: boolean
  readonly detail: string
}

/** Plans, then edits the files of a workspace. The edited folder is the result, never parsed prose. */
export interface Agent {
  readonly name: string
  /** What it was given in confidence: taken out of all that is kept. */
  readonly secrets: readonly string[]
  /** False for an agent that cannot learn from a diagnostic: it gets no second pass. */
  readonly canRework: boolean
  plan(task: AgentTask): Promise<Plan>
  code(task: AgentTask, plan: Plan): Promise<CodeOutcome>
  /** Tries what the agent needs, as cheaply as it can. */
  checkHealth(signal: AbortSignal): Promise<readonly Health[]>
}
