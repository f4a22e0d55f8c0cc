import { parse, YAMLParseError } from 'yaml'
import { Fields } from '../../http/fields.ts'

/** What a `workflow_dispatch` may be given. */
export interface DispatchInput {
  readonly name: string
  readonly type: string
  readonly required: boolean
  /** What is taken when it is not given. */
  readonly fallback: string | undefined
  readonly options: readonly string[]
}

/** What the API needs to know of a workflow file; the rest is the runner's. */
export interface WorkflowFile {
  readonly name: string | undefined
  /** Names of events. */
  readonly triggers: readonly string[]
  readonly inputs: readonly DispatchInput[]
}

/** Reads a workflow file. One that is no YAML has no name and no triggers, as on GitHub. */
export function parseWorkflowFile(text: string): WorkflowFile {
  const file = new Fields(parseYaml(text))
  const on = file.raw('on')
  return {
    name: file.findText('name'),
    triggers: typeof on === 'string' ? [on] : (file.findTexts('on') ?? Object.keys(new Fields(on).toJson())),
    inputs: readInputs(new Fields(on).findObject('workflow_dispatch')?.findObject('inputs')),
  }
}

function parseYaml(text: string): unknown {
  try {
    return parse(text, { logLevel: 'silent' })
  } catch (error) {
    if (error instanceof YAMLParseError) return undefined
    throw error
  }
}

function readInputs(inputs: Fields | undefined): DispatchInput[] {
  return Object.keys(inputs?.toJson() ?? {}).map((name) => {
    const input = inputs?.findObject(name) ?? new Fields({})
    return {
      name,
      type: input.findText('type') ?? 'string',
      required: input.findFlag('required') ?? false,
      fallback: input.findText('default'),
      options: readOptions(input.raw('options')),
    }
  })
}

function readOptions(options: unknown): string[] {
  return Array.isArray(options) ? options.map(String) : []
}
