import { completeJob, queueJob } from '../actions/runs/jobs.ts'
import { completeRun } from '../actions/runs/runs.ts'
import { JobInstance } from './job-instance.ts'
import { concludeRun, type InstanceResult, joinInstances, type NodeResult, statusAfter } from './job-node.ts'
import { carryOver, findReusable, jobKey, recordOutcome } from './job-outcomes.ts'
import type { RunRequest } from './run-request.ts'
import { Slots } from './slots.ts'
import { evaluate, evaluateCondition, evaluateText, type Scope } from './syntax/evaluate.ts'
import { type Combination, expandMatrix } from './syntax/matrix.ts'
import { asFlag, asNumber, asRecord } from './syntax/values.ts'
import type { JobDefinition } from './syntax/workflow-definition.ts'

const MAX_MATRIX = 256

/** One attempt of a run. Runs its jobs in the order of their needs. */
export class RunAttempt {
  readonly #request: RunRequest
  readonly #nodes = new Map<string, Promise<NodeResult>>()
  readonly #instances = new Set<JobInstance>()
  #isCancelled = false

  constructor(request: RunRequest) {
    this.#request = request
  }

  /** Runs all jobs and completes the run. */
  async run(): Promise<void> {
    const { tools, run, workflow } = this.#request
    const nodes = await Promise.all(workflow.jobs.map((definition) => this.#node(definition)))
    await completeRun(tools.box, run.id, concludeRun(nodes, this.#isCancelled))
  }

  /** Asks all jobs to end, except those whose condition still holds. */
  cancel(): void {
    this.#isCancelled = true
    for (const instance of this.#instances) instance.cancelUnless(() => this.#isStillWanted(instance))
  }

  kill(): void {
    this.#isCancelled = true
    for (const instance of this.#instances) instance.cancellation.kill()
  }

  #node(definition: JobDefinition): Promise<NodeResult> {
    const known = this.#nodes.get(definition.id) ?? this.#runNode(definition)
    this.#nodes.set(definition.id, known)
    return known
  }

  async #runNode(definition: JobDefinition): Promise<NodeResult> {
    const needed = this.#request.workflow.jobs.filter(({ id }) => definition.needs.includes(id))
    // Yield once, so that all jobs are registered before the first one starts.
    await Promise.resolve()
    const needs = new Map<string, NodeResult>()
    for (const one of needed) needs.set(one.id, await this.#node(one))
    const scope = this.#scope([...needs])
    const isAgain = [...needs.values()].some((one) => one.isNew)
    if (!evaluateCondition(definition.condition, scope))
      return await this.#skip(definition, [...needs.values()])
    const combinations = readMatrix(definition, scope)
    const strategy = readStrategy(definition, scope, combinations.length)
    const matrixSlots = new Slots(strategy['max-parallel'])
    const siblings: JobInstance[] = []
    const results = await Promise.all(
      combinations.map((matrix, index) => {
        const contexts = { ...scope.contexts, matrix, strategy: { ...strategy, 'job-index': index } }
        const before = isAgain ? undefined : this.#reuse(definition, index)
        if (before !== undefined) return before
        const instance = new JobInstance(this.#request, { definition, index, contexts, status: scope.status })
        siblings.push(instance)
        return this.#runInstance(instance, { matrixSlots, siblings, failFast: strategy['fail-fast'] })
      }),
    )
    return joinInstances(results, [...needs.values()])
  }

  #reuse(definition: JobDefinition, index: number): InstanceResult | undefined {
    const { tools, run } = this.#request
    const before = findReusable(tools.box, run, jobKey(definition, index))
    if (before === undefined) return undefined
    carryOver(tools.box, run, jobKey(definition, index), before)
    return { ...before, isForgiven: false, isNew: false }
  }

  async #runInstance(
    instance: JobInstance,
    {
      matrixSlots,
      siblings,
      failFast,
    }: { matrixSlots: Slots; siblings: readonly JobInstance[]; failFast: boolean },
  ): Promise<InstanceResult> {
    this.#instances.add(instance)
    const result = await instance.run(matrixSlots)
    this.#instances.delete(instance)
    if (failFast && result.conclusion === 'failure' && !result.isForgiven) {
      for (const sibling of siblings) sibling.cancellation.request()
    }
    return result
  }

  async #skip(definition: JobDefinition, needs: readonly NodeResult[]): Promise<NodeResult> {
    const { tools, run } = this.#request
    const name = evaluateText(definition.name, this.#scope([])) || definition.id
    const job = await queueJob(tools.box, run, { name, labels: [] })
    await completeJob(tools.box, job.id, 'skipped')
    const result = { conclusion: 'skipped', outputs: {} } as const
    recordOutcome(tools.box, run, jobKey(definition, 0), { ...result, jobId: job.id })
    return joinInstances([{ ...result, isForgiven: false, isNew: false }], needs)
  }

  #isStillWanted(instance: JobInstance): boolean {
    const status = { ...instance.status, success: false, cancelled: true }
    return evaluateCondition(instance.definition.condition, { contexts: instance.contexts, status })
  }

  #scope(
    needs: readonly (readonly [string, NodeResult])[],
  ): Scope & { status: NonNullable<Scope['status']> } {
    const shown = needs.map(([id, { result, outputs }]) => [id, { result, outputs }] as const)
    const contexts = { ...this.#request.contexts, needs: Object.fromEntries(shown) }
    return {
      contexts,
      status: statusAfter(
        needs.map(([, node]) => node),
        this.#isCancelled,
      ),
    }
  }
}

function readMatrix(definition: JobDefinition, scope: Scope): Combination[] {
  const matrix = definition.strategy.find('matrix')
  if (matrix === undefined) return [{}]
  return expandMatrix(asRecord(evaluate(matrix, scope))).slice(0, MAX_MATRIX)
}

function readStrategy(definition: JobDefinition, scope: Scope, total: number) {
  const { strategy } = definition
  return {
    'fail-fast': asFlag(evaluate(strategy.find('fail-fast') ?? true, scope)),
    'max-parallel': asNumber(evaluate(strategy.find('max-parallel') ?? total, scope)) || total,
    'job-total': total,
  }
}
