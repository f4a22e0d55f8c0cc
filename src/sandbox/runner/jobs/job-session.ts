import type { Job, Run } from '../../actions/documents.ts'
import type { Box } from '../../box.ts'
import type { RepositoryDocument } from '../../state/documents.ts'
import type { Scope, StatusChecks } from '../syntax/evaluate.ts'
import type { JobDefinition, WorkflowDefinition } from '../syntax/workflow-definition.ts'
import type { Cancellation } from './cancellation.ts'
import type { JobFolders } from './job-folders.ts'
import { JobLog } from './job-log.ts'

/** A job to execute, with everything known before it starts. */
export interface JobRequest {
  readonly box: Box
  readonly repo: RepositoryDocument
  readonly run: Run
  readonly job: Job
  readonly workflow: WorkflowDefinition
  readonly definition: JobDefinition
  /** `github`, `needs`, `matrix`, `strategy`, `inputs` and `vars`. */
  readonly contexts: Readonly<Record<string, unknown>>
  readonly secrets: Readonly<Record<string, string>>
  /** The job's token. Also among the secrets. */
  readonly token: string
  readonly cancellation: Cancellation
  /** The PATH of the job's programs. */
  readonly path: string
}

export type Outcome = 'success' | 'failure' | 'cancelled' | 'skipped'

/** The value of `steps.<id>`. */
export interface StepResult {
  readonly outputs: Readonly<Record<string, string>>
  readonly outcome: Outcome
  /** The outcome after `continue-on-error`. */
  readonly conclusion: Outcome
}

/** The state of a list of steps: the job's own, or those of one composite action. */
export interface Frame {
  status: 'success' | 'failure'
  readonly results: Record<string, StepResult>
  /** From the step that uses the composite action. */
  readonly env: Readonly<Record<string, string>>
  /** Inputs of a composite action. The job's own steps see the run's inputs. */
  readonly inputs?: Readonly<Record<string, unknown>>
  readonly actionPath?: string
  readonly depth: number
}

/** Work that an action leaves for the end of the job. */
export interface PostStep {
  readonly name: string
  readonly run: () => Promise<Outcome>
}

/** State that the steps of a running job share. */
export class JobSession {
  readonly request: JobRequest
  readonly folders: JobFolders
  readonly log: JobLog
  /** `env` of the workflow and the job, and what steps wrote to GITHUB_ENV. */
  readonly env: Record<string, string> = {}
  /** What steps wrote to GITHUB_PATH, newest first. */
  readonly pathAdditions: string[] = []
  readonly posts: PostStep[] = []
  readonly summaries: string[] = []
  readonly github: Readonly<Record<string, unknown>>

  constructor(request: JobRequest, folders: JobFolders) {
    this.request = request
    this.folders = folders
    this.log = new JobLog(request.box, request.job.id)
    for (const value of Object.values(request.secrets)) this.log.masks.add(value)
    this.github = {
      ...(typeof request.contexts.github === 'object' ? request.contexts.github : {}),
      job: request.definition.id,
      token: request.token,
      workspace: folders.workspace,
      event_path: `${folders.temp}/event.json`,
    }
  }

  /** Marks the job's processes, so that all are found when it ends. */
  get owner(): string {
    return `job-${this.request.job.id}-${this.folders.root}`
  }

  get runner(): Readonly<Record<string, string>> {
    return {
      name: 'box',
      os: 'Linux',
      arch: process.arch === 'arm64' ? 'ARM64' : 'X64',
      temp: this.folders.temp,
      tool_cache: this.folders.tools,
      environment: 'self-hosted',
    }
  }

  /** What an expression of a step can see. */
  scope(frame: Frame, stepEnv: Readonly<Record<string, string>> = {}): Scope {
    const { contexts, secrets } = this.request
    const { inputs = contexts.inputs, actionPath } = frame
    return {
      workspace: this.folders.workspace,
      status: this.status(frame),
      contexts: {
        ...contexts,
        github: { ...this.github, ...(actionPath === undefined ? {} : { action_path: actionPath }) },
        env: { ...this.env, ...frame.env, ...stepEnv },
        // Composite actions receive secrets only as inputs.
        secrets: frame.depth === 0 ? secrets : {},
        inputs,
        steps: frame.results,
        job: { status: this.request.cancellation.isRequested ? 'cancelled' : frame.status },
        runner: this.runner,
      },
    }
  }

  status(frame: Frame): StatusChecks {
    const cancelled = this.request.cancellation.isRequested
    return {
      cancelled,
      success: !cancelled && frame.status === 'success',
      failure: !cancelled && frame.status === 'failure',
    }
  }
}
