import type { Job, Run } from '../../actions/documents.ts'
import type { Box } from '../../box.ts'
import type { RepositoryDocument } from '../../state/documents.ts'
import type { Scope, StatusChecks } from '../syntax/evaluate.ts'
import type { JobDefinition, WorkflowDefinition } from '../syntax/workflow-definition.ts'
import type { Cancellation } from './cancellation.ts'
import type { JobFolders } from './job-folders.ts'
import { JobLog } from './job-log.ts'

/** One job that is to be executed, with all that is known before it begins. */
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
  /** The job's token; it is among the secrets too. */
  readonly token: string
  readonly cancellation: Cancellation
  /** The search path of programs. */
  readonly path: string
}

export type Outcome = 'success' | 'failure' | 'cancelled' | 'skipped'

/** What `steps.<id>` shows. */
export interface StepResult {
  readonly outputs: Readonly<Record<string, string>>
  readonly outcome: Outcome
  /** The outcome after `continue-on-error`. */
  readonly conclusion: Outcome
}

/** A list of steps on its way: the job's own, or those of one composite action. */
export interface Frame {
  status: 'success' | 'failure'
  readonly results: Record<string, StepResult>
  /** From the step that uses the composite action. */
  readonly env: Readonly<Record<string, string>>
  /** Of a composite action; the job's own steps see the run's. */
  readonly inputs?: Readonly<Record<string, unknown>>
  readonly actionPath?: string
  readonly depth: number
}

/** Work that an action leaves for the end of the job. */
export interface PostStep {
  readonly name: string
  readonly run: () => Promise<Outcome>
}

/** What the steps of a job share while it is executed. */
export class JobSession {
  readonly request: JobRequest
  readonly folders: JobFolders
  readonly log: JobLog
  /** `env` of the workflow and the job, and what steps wrote to GITHUB_ENV. */
  readonly env: Record<string, string> = {}
  /** What steps wrote to GITHUB_PATH, the latest first. */
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

  /** By this all processes of the job are found when it ends. */
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
        // A composite action is given its secrets as inputs.
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
