import * as z from 'zod'
import type { Workspace } from '../agent.ts'

/** What a tool works with: the workspace, and how many bytes may still be written. */
export interface ToolContext {
  readonly workspace: Workspace
  readonly signal: AbortSignal
  /** Words that the work is about, for ranking. */
  readonly focus: string
  /** Uses up some of the write budget; false if not enough is left. */
  spendBytes(bytes: number): boolean
}

/** What the model is told. An error tells it what to do instead. */
export interface ToolReply {
  readonly ok: boolean
  readonly text: string
}

/** Something that a model may do in its workspace. */
export interface Tool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: Record<string, unknown>
  /** Never throws for a mistake of the model: the reply describes it. */
  run(argumentsJson: string, context: ToolContext): Promise<ToolReply>
}

interface ToolSpec<S extends z.ZodObject> {
  readonly name: string
  readonly description: string
  readonly input: S
  run(input: z.infer<S>, context: ToolContext): Promise<ToolReply>
}

/** A tool whose arguments are checked before it runs. */
export function defineTool<S extends z.ZodObject>({ name, description, input, run }: ToolSpec<S>): Tool {
  return {
    name,
    description,
    parameters: z.toJSONSchema(input, { target: 'draft-7', io: 'input' }),
    run: async (argumentsJson, context) => {
      const given = readJson(argumentsJson)
      if (given === undefined) return failed('the arguments are not valid JSON; send one JSON object')
      const parsed = input.safeParse(given.value)
      if (!parsed.success)
        return failed(`wrong arguments: ${z.prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, ' ')}`)
      return await run(parsed.data, context)
    },
  }
}

export function done(text: string): ToolReply {
  return { ok: true, text }
}

export function failed(text: string): ToolReply {
  return { ok: false, text: `error: ${text}` }
}

// Models send nothing at all for a tool without arguments.
function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text.trim() === '' ? '{}' : text) }
  } catch {
    return undefined
  }
}
