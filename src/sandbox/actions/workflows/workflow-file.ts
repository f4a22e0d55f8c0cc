import { parse, YAMLParseError } from 'yaml'
import { Fields } from '../../http/fields.ts'

/** One input of `workflow_dispatch`. */
export interface DispatchInput {
  readonly name: string
  readonly type: string
  readonly required: boolean
  /** The default value. */
  readonly fallback: string | undefined
  readonly options: readonly string[]
}

/** The parts of a workflow file that the API needs. The runner reads the rest. */
export interface WorkflowFile {
  readonly name: string | undefined
  /** Names of events. */
  readonly triggers: readonly string[]
  readonly inputs: readonly DispatchInput[]
}

/** Reads a workflow file. As on GitHub, invalid YAML has no name and no triggers. */
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
