import type { Lens, Operator } from '../core/planning/operators.ts'
import type { Recall } from '../core/planning/recall.ts'
import type { Rng } from '../core/rng.ts'
import type { DiskAllowance } from '../process/disk/disk-allowance.ts'
import type { Meter } from './meter.ts'
import type { Transcript } from './transcript.ts'

/** What an agent is told about one candidate. Text from candidates, issues and logs is data, never instructions. */
export interface Brief extends Recall {
  readonly goal: string
  readonly constraints: readonly string[]
  readonly acceptance: readonly string[]
  readonly notes: string
  /** The issue that started the campaign. */
  readonly direction?: { readonly title: string; readonly body: string } | undefined
  readonly operator: Operator
  readonly lens?: Lens | undefined
  readonly scope: {
    readonly editable: readonly string[]
    readonly protected: readonly string[]
    /** Files that the patterns allow and that are protected all the same. */
    readonly exceptions?: readonly { readonly why: string; readonly paths: readonly string[] }[]
  }
}

/** A version of the files: the campaign's root, or a candidate by ordinal. */
export type Version = 'root' | number

/** The result and output of the maintainer's quick check. */
export interface CheckOutcome {
  readonly passed: boolean
  readonly output: string
}

/** Where an agent works: a folder with the parent's files. What it leaves there is its answer. */
export interface Workspace {
  readonly folder: string
  /** A scratch folder outside the files: nothing in it becomes part of the candidate. */
  readonly scratch: string
  /** Marks processes started here, so that they can be found after a crash. */
  readonly owner: string
  /** How much disk processes started here may use. */
  readonly disk?: DiskAllowance | undefined
  /** Paths (posix, relative) the agent may change: tracked, inside the editable scope, not protected. Sorted. */
  readonly editablePaths: readonly string[]
  /** True when a file at this path may be created or changed. */
  canEdit(path: string): boolean
  /** Why a path inside the scope may not be created or changed. */
  explain?(path: string): string | undefined
  /** The text of a file in another version; undefined if it is missing or not text. */
  readAt(version: Version, path: string): Promise<string | undefined>
  /** A candidate's patch against the root; undefined if its files are unavailable. */
  diffFromRoot(ordinal: number): Promise<string | undefined>
  /** Runs the quick check on the current files; undefined if there is none. */
  readonly check?: ((signal: AbortSignal) => Promise<CheckOutcome>) | undefined
}

export interface AgentTask {
  readonly brief: Brief
  readonly workspace: Workspace
  readonly rng: Rng
  readonly signal: AbortSignal
  /** Counts what is spent, even if the agent fails halfway. */
  readonly meter: Meter
  readonly transcript: Transcript
  /** What was wrong with the first pass, whose files are still in the folder. */
  readonly rework?: string | undefined
}

export interface Plan {
  /** Markdown for people and for the coder. */
  readonly text: string
  readonly model?: string | undefined
}

export type CodeOutcome =
  | { readonly status: 'changed'; readonly summary: string; readonly model?: string | undefined }
  | { readonly status: 'unchanged'; readonly reason: string }

/** Whether something that an agent needs is available. */
export interface Health {
  readonly what: string
  readonly ok: boolean
  readonly detail: string
}

/** Plans, then edits the files of a workspace. The edited folder is the result, not its prose. */
export interface Agent {
  readonly name: string
  /** Its secrets, which are removed from everything we store. */
  readonly secrets: readonly string[]
  /** False for an agent that cannot use a diagnostic: it gets no second pass. */
  readonly canRework: boolean
  /**
   * True for an agent that starts programs on this machine. They may need what the set-up made, such as dependencies, and
   * could disturb a measurement.
   */
  readonly runsPrograms?: boolean | undefined
  plan(task: AgentTask): Promise<Plan>
  code(task: AgentTask, plan: Plan): Promise<CodeOutcome>
  /** Checks what the agent needs, as cheaply as possible. */
  checkHealth(signal: AbortSignal): Promise<readonly Health[]>
}
