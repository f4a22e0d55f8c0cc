import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LoreleyError } from '../../../errors.ts'
import { readTemplateFile } from './read-template.ts'
import { EMPTY_MAP, type Template, TemplateMap } from './template.ts'
import { readStep, type StepDefinition } from './workflow-definition.ts'

/** An `action.yml`. */
export interface ActionDefinition {
  readonly folder: string
  readonly inputs: readonly ActionInput[]
  /** For a composite action: the expressions of its outputs. */
  readonly outputs: readonly { readonly name: string; readonly value: Template }[]
  readonly runs: JavascriptRuns | CompositeRuns
}

interface ActionInput {
  readonly name: string
  readonly fallback: Template | undefined
}

export interface JavascriptRuns {
  readonly kind: 'javascript'
  readonly main: string
  readonly pre: string | undefined
  readonly preCondition: Template | undefined
  readonly post: string | undefined
  readonly postCondition: Template | undefined
}

interface CompositeRuns {
  readonly kind: 'composite'
  readonly steps: readonly StepDefinition[]
}

/** Loads the action in a folder. `uses` is its name in messages. */
export async function loadAction(folder: string, uses: string): Promise<ActionDefinition> {
  const file = ['action.yml', 'action.yaml']
    .map((name) => join(folder, name))
    .find((path) => existsSync(path))
  if (file === undefined) throw broken(`Can't find 'action.yml' or 'action.yaml' for ${uses}.`)
  const reading = readTemplateFile('action', {
    name: `${uses}/action.yml`,
    text: await readFile(file, 'utf8'),
  })
  if (reading.status === 'invalid') throw broken(`${uses}: ${reading.problems.join('; ')}`)
  const { template } = reading
  const inputs = template.findMap('inputs') ?? EMPTY_MAP
  const outputs = template.findMap('outputs') ?? EMPTY_MAP
  return {
    folder,
    inputs: inputs.entries.map(([name, input]) => ({
      name: String(name),
      fallback: fieldOf(input, 'default'),
    })),
    outputs: outputs.entries.map(([name, output]) => ({
      name: String(name),
      value: fieldOf(output, 'value') ?? '',
    })),
    runs: readRuns(template.findMap('runs') ?? EMPTY_MAP, uses),
  }
}

function readRuns(runs: TemplateMap, uses: string): JavascriptRuns | CompositeRuns {
  const using = runs.findText('using') ?? ''
  if (using === 'composite') return { kind: 'composite', steps: runs.list('steps').map(readStep) }
  const main = runs.findText('main')
  if (!/^node\d+$/.test(using) || main === undefined) {
    throw broken(`${uses} uses '${using}', but the sandbox runs only JavaScript and composite actions.`)
  }
  return {
    kind: 'javascript',
    main,
    pre: runs.findText('pre'),
    preCondition: runs.find('pre-if'),
    post: runs.findText('post'),
    postCondition: runs.find('post-if'),
  }
}

function fieldOf(template: Template, name: string): Template | undefined {
  return template instanceof TemplateMap ? template.find(name) : undefined
}

function broken(message: string): LoreleyError {
  return new LoreleyError('workflow-invalid', message, "Check the action's files.")
}
