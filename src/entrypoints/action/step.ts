import { join } from 'node:path'
import type { Usage } from '../../core/budget/budget.ts'
import type { JobContextOptions } from '../../pipeline/job-context.ts'
import type { ActionInputs } from '../../protocol/action-inputs.ts'
import type { ResultDocument } from '../../protocol/result.ts'
import type { OpenJob } from './open-job.ts'
import type { RunnerMachine } from './runner.ts'

/** One running step. */
export interface StepRun {
  readonly machine: RunnerMachine
  readonly dispatch: ActionInputs['dispatch']
  readonly proposal: ActionInputs['proposal']
  readonly opened: OpenJob
  readonly signal: AbortSignal
  readonly startedMs: number
  readonly learned: Learned
}

/** What the step has learned so far. A failure reports it too. */
export interface Learned {
  attempt: number
  spent: Usage
  logs: ResultDocument['logs']
  /** Secrets that the step's commands were given. No result may contain them. */
  secrets: readonly string[]
  evaluatorDigest?: string
  isolation?: NonNullable<ResultDocument['isolation']>
}

/** The context options that both steps share. */
export function contextOptions({ opened, machine, signal }: StepRun) {
  return {
    repository: opened.git.repository,
    objects: opened.git.objects,
    rootTree: opened.root.tree,
    preparedRootsFolder: join(machine.folder, 'roots'),
    workspacesFolder: join(machine.folder, 'work'),
    path: machine.path,
    signal,
  } satisfies Partial<JobContextOptions>
}
