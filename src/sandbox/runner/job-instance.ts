import { join } from 'node:path'
import { LoreleyError } from '../../errors.ts'
import { issueJobToken } from '../actions/actions-app.ts'
import { actionsSettings } from '../actions/actions-settings.ts'
import type { Job } from '../actions/documents.ts'
import { completeJob, queueJob, startJob } from '../actions/runs/jobs.ts'
import { type InstallationToken, tokens } from '../state/documents.ts'
import { readConcurrency } from './concurrency.ts'
import type { InstanceResult } from './job-node.ts'
import { jobKey, recordOutcome } from './job-outcomes.ts'
import { Cancellation } from './jobs/cancellation.ts'
import { loadJobValues } from './jobs/job-environment.ts'
import { executeJob, type JobResult } from './jobs/job-execution.ts'
import { JobLog } from './jobs/job-log.ts'
import type { RunRequest } from './run-request.ts'
import type { Slots } from './slots.ts'
import { evaluate, evaluateText, type Scope, type StatusChecks } from './syntax/evaluate.ts'
import { renderCombination } from './syntax/matrix.ts'
import { jobPermissions } from './syntax/permissions.ts'
import { Expression, type Template } from './syntax/template.ts'
import { asFlag, asRecord, asTexts } from './syntax/values.ts'
import type { JobDefinition } from './syntax/workflow-definition.ts'

const TOKEN_LIFE_MS = 86_400_000
const CANCELLED: JobResult = { conclusion: 'cancelled', outputs: {} }

interface Instance {
  readonly definition: JobDefinition
  /** Its index in the matrix. */
  readonly index: number
  readonly contexts: Readonly<Record<string, unknown>>
  readonly status: StatusChecks
}

/** One job of a run, with one combination of its matrix, from the queue to its end. */
export class JobInstance implements Instance {
  readonly definition: JobDefinition
  readonly index: number
  readonly contexts: Readonly<Record<string, unknown>>
  readonly status: StatusChecks
  readonly cancellation: Cancellation
  readonly #request: RunRequest

  constructor(request: RunRequest, instance: Instance) {
    this.#request = request
    this.definition = instance.definition
    this.index = instance.index
    this.contexts = instance.contexts
    this.status = instance.status
    this.cancellation = new Cancellation(request.tools.cancelGraceMs)
  }

  cancelUnless(isWanted: () => boolean): void {
    if (!isWanted()) this.cancellation.request()
  }

  /** Takes a slot of its matrix first, then one of the runner. */
  async run(matrixSlots: Slots): Promise<InstanceResult> {
    const { tools, run } = this.#request
    const { signal } = this.cancellation
    const job = await queueJob(tools.box, run, { name: this.#name(), labels: this.#labels() })
    const work = () => tools.slots.use(signal, () => this.#execute(job))
    const result = (await matrixSlots.use(signal, () => this.#inGroup(work))) ?? CANCELLED
    await completeJob(tools.box, job.id, result.conclusion)
    recordOutcome(tools.box, run, jobKey(this.definition, this.index), { ...result, jobId: job.id })
    const isForgiven =
      result.conclusion === 'failure' &&
      asFlag(evaluate(this.definition.continueOnError ?? false, this.#scope()))
    return { ...result, isForgiven, isNew: true }
  }

  async #inGroup<T>(work: () => Promise<T>): Promise<T | undefined> {
    const options = readConcurrency(this.definition.concurrency, this.#scope())
    if (options === undefined) return await work()
    const { signal } = this.cancellation
    const cancel = (): void => this.cancellation.request()
    const key = `${this.#request.repo.id}/${options.group}`
    return await this.#request.tools.groups.use(key, { options, signal, cancel }, work)
  }

  // Any error inside fails this job, never the sandbox.
  async #execute(job: Job): Promise<JobResult> {
    const { tools } = this.#request
    await startJob(tools.box, job.id, 'box')
    try {
      return await this.#withToken((token) => this.#run(job, token))
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      new JobLog(tools.box, job.id).error(message)
      if (!(error instanceof LoreleyError)) tools.box.reportDeviation(`job ${job.id} threw: ${message}`)
      return { conclusion: 'failure', outputs: {} }
    }
  }

  async #run(job: Job, token: InstallationToken): Promise<JobResult> {
    const { tools, repo, run, workflow } = this.#request
    const { definition, cancellation } = this
    if (definition.unsupported !== undefined) throw unsupported(definition.unsupported)
    const { secrets, variables } = loadJobValues(tools.box, { repo, ref: run.ref }, definition, this.#scope())
    const request = {
      box: tools.box,
      repo,
      run,
      job,
      workflow,
      definition,
      cancellation,
      path: tools.path,
      contexts: { ...this.contexts, vars: variables },
      secrets: { ...secrets, GITHUB_TOKEN: token.token },
      token: token.token,
    }
    return await executeJob(request, join(tools.jobsFolder, String(job.id)))
  }

  // The token is revoked when the job ends.
  async #withToken<T>(work: (token: InstallationToken) => Promise<T>): Promise<T> {
    const { tools, repo, run, workflow } = this.#request
    const { defaultPermissions } = actionsSettings(tools.box, repo)
    const permissions = jobPermissions(
      [this.definition.permissions, workflow.permissions],
      defaultPermissions,
    )
    const token = await issueJobToken(tools.box, repo, { runId: run.id, permissions, lifeMs: TOKEN_LIFE_MS })
    try {
      return await work(token)
    } finally {
      tokens(tools.box.store).remove(token.token)
    }
  }

  #name(): string {
    const { definition } = this
    const values = renderCombination(asRecord(this.contexts.matrix))
    const base = evaluateText(definition.name, this.#scope()) || definition.id
    return values === '' || namesMatrix(definition.name) ? base : `${base} (${values})`
  }

  #labels(): string[] {
    const value = evaluate(this.definition.runsOn ?? '', this.#scope())
    return Array.isArray(value) ? asTexts(value) : [String(asRecord(value).labels ?? value)]
  }

  #scope(): Scope {
    return { contexts: this.contexts, status: this.status }
  }
}

// GitHub appends the matrix values unless the job's name already uses them.
function namesMatrix(name: Template | undefined): boolean {
  return name instanceof Expression && /\bmatrix\b/.test(name.text)
}

function unsupported(what: string): LoreleyError {
  return new LoreleyError(
    'workflow-invalid',
    `This job needs ${what}. The sandbox runs steps as plain processes, without containers or reusable workflows.`,
    'Use steps instead.',
  )
}
