import { LoreleyError } from '../../../errors.ts'
import { type Events, readTemplateFile } from './read-template.ts'
import { EMPTY_MAP, type Template, TemplateMap } from './template.ts'

/** A workflow file. */
export interface WorkflowDefinition {
  readonly name: string | undefined
  readonly runName: Template | undefined
  readonly events: Events
  readonly env: TemplateMap
  readonly defaults: TemplateMap
  readonly concurrency: Template | undefined
  readonly permissions: Template | undefined
  readonly jobs: readonly JobDefinition[]
}

/** One job of the file. A matrix turns it into several. */
export interface JobDefinition {
  readonly id: string
  readonly name: Template | undefined
  readonly needs: readonly string[]
  readonly condition: Template | undefined
  readonly strategy: TemplateMap
  readonly runsOn: Template | undefined
  readonly env: TemplateMap
  readonly defaults: TemplateMap
  readonly permissions: Template | undefined
  readonly environment: Template | undefined
  readonly concurrency: Template | undefined
  readonly outputs: TemplateMap
  readonly timeoutMinutes: Template | undefined
  readonly continueOnError: Template | undefined
  readonly steps: readonly StepDefinition[]
  /** A feature it uses that the sandbox does not support. */
  readonly unsupported: string | undefined
}

export interface StepDefinition {
  readonly id: string | undefined
  readonly name: Template | undefined
  readonly condition: Template | undefined
  readonly run: Template | undefined
  readonly uses: string | undefined
  readonly shell: Template | undefined
  readonly workingDirectory: Template | undefined
  readonly with: TemplateMap
  readonly env: TemplateMap
  readonly continueOnError: Template | undefined
  readonly timeoutMinutes: Template | undefined
}

export type DefinitionReading =
  | { readonly status: 'valid'; readonly definition: WorkflowDefinition }
  | { readonly status: 'invalid'; readonly problems: readonly string[] }

/** Reads a workflow file by GitHub's rules. */
export function readWorkflow(path: string, text: string): DefinitionReading {
  const reading = readTemplateFile('workflow', { name: path, text })
  if (reading.status === 'invalid') return reading
  const { template, events } = reading
  const jobs = (template.findMap('jobs') ?? EMPTY_MAP).entries.map(([id, job]) => readJob(String(id), job))
  const definition: WorkflowDefinition = {
    name: template.findText('name'),
    runName: template.find('run-name'),
    events,
    env: template.findMap('env') ?? EMPTY_MAP,
    defaults: runDefaults(template),
    concurrency: template.find('concurrency'),
    permissions: template.find('permissions'),
    jobs,
  }
  return { status: 'valid', definition }
}

function readJob(id: string, template: Template): JobDefinition {
  const job = asMap(template)
  return {
    id,
    name: job.find('name'),
    needs: job.list('needs').map(String),
    condition: job.find('if'),
    strategy: job.findMap('strategy') ?? EMPTY_MAP,
    runsOn: job.find('runs-on'),
    env: job.findMap('env') ?? EMPTY_MAP,
    defaults: runDefaults(job),
    permissions: job.find('permissions'),
    environment: job.find('environment'),
    concurrency: job.find('concurrency'),
    outputs: job.findMap('outputs') ?? EMPTY_MAP,
    timeoutMinutes: job.find('timeout-minutes'),
    continueOnError: job.find('continue-on-error'),
    steps: job.list('steps').map(readStep),
    unsupported: findUnsupported(job),
  }
}

/** Reads one step of a job or of a composite action. */
export function readStep(template: Template): StepDefinition {
  const step = asMap(template)
  return {
    id: step.findText('id'),
    name: step.find('name'),
    condition: step.find('if'),
    run: step.find('run'),
    uses: step.findText('uses'),
    shell: step.find('shell'),
    workingDirectory: step.find('working-directory'),
    with: step.findMap('with') ?? EMPTY_MAP,
    env: step.findMap('env') ?? EMPTY_MAP,
    continueOnError: step.find('continue-on-error'),
    timeoutMinutes: step.find('timeout-minutes'),
  }
}

function runDefaults(template: TemplateMap): TemplateMap {
  return template.findMap('defaults')?.findMap('run') ?? EMPTY_MAP
}

function findUnsupported(job: TemplateMap): string | undefined {
  if (job.find('services') !== undefined) return 'service containers (`services`)'
  if (job.find('container') !== undefined) return 'a job container (`container`)'
  if (job.find('uses') !== undefined) return 'a reusable workflow (`uses` of a job)'
  return undefined
}

function asMap(template: Template): TemplateMap {
  if (template instanceof TemplateMap) return template
  throw new LoreleyError('workflow-invalid', 'Expected a mapping.', 'Check the workflow file.')
}
