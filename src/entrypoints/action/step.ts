import { join } from 'node:path'
import type { Usage } from '../../core/budget/budget.ts'
import type { JobSettingOrder } from '../../pipeline/job-setting.ts'
import type { ActionInputs } from '../../protocol/action-inputs.ts'
import type { ResultDocument } from '../../protocol/result.ts'
import type { OpenOrder } from './open-order.ts'
import type { RunnerMachine } from './runner.ts'

/** One step of a run, under way. */
export interface StepRun {
  readonly machine: RunnerMachine
  readonly order: ActionInputs['order']
  readonly proposal: ActionInputs['proposal']
  readonly opened: OpenOrder
  readonly signal: AbortSignal
  readonly startedMs: number
  readonly learned: Learned
}

/** What is learned on the way; a failure still tells it. */
export interface Learned {
  attempt: number
  spent: Usage
  logs: ResultDocument['logs']
  /** What the step's commands were given to keep: no result may tell it. */
  secrets: readonly string[]
  evaluatorDigest?: string
  isolation?: NonNullable<ResultDocument['isolation']>
}

/** What the jobs of both steps are run with; each adds what it may see. */
export function settingOf({ opened, machine, signal }: StepRun) {
  return {
    repository: opened.git.repository,
    objects: opened.git.objects,
    rootTree: opened.root.tree,
    workshopPlace: join(machine.place, 'workshops'),
    workPlace: join(machine.place, 'work'),
    path: machine.path,
    signal,
  } satisfies Partial<JobSettingOrder>
}
