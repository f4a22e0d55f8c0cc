import * as z from 'zod'
import { MOST_ALLOWED, MOST_REPORTED } from '../../core/number-bounds.ts'
import { environmentNames, shellLine, timeoutSeconds } from './scalars.ts'

const price = z
  .strictObject({
    input: z.number().min(0).max(MOST_ALLOWED).describe('US dollars per million input tokens.'),
    output: z.number().min(0).max(MOST_ALLOWED).describe('US dollars per million output tokens.'),
    cached_input: z
      .number()
      .min(0)
      .max(MOST_ALLOWED)
      .optional()
      .describe('US dollars per million input tokens that the endpoint had cached. Defaults to input.'),
  })
  .describe('What the model costs. Without a price, its tokens are recorded as unpriced, never as free.')

const modelSchema = z
  .strictObject({
    name: z.string().trim().min(1).max(200).describe('The name of the model at the endpoint.'),
    for: z
      .enum(['both', 'plan', 'code'])
      .default('both')
      .describe('What the model does. For example, a strong model plans and a cheap one codes.'),
    weight: z
      .number()
      .positive()
      .max(1000)
      .default(1)
      .describe('How often it is chosen, relative to the other models with the same use.'),
    context_tokens: z
      .int()
      .min(1024)
      .max(10_000_000)
      .default(128_000)
      .describe('The size of its context. Older tool results are dropped before it is full.'),
    max_output_tokens: z
      .int()
      .min(64)
      .max(1_000_000)
      .default(8192)
      .describe('The most tokens it may write in one turn.'),
    price: price.optional(),
    parameters: z
      .record(z.string().max(100), z.union([z.string(), z.number(), z.boolean()]))
      .default({})
      .describe('Additional request fields, such as {temperature: 0.7} or {reasoning_effort: low}.'),
  })
  .describe('One model.')

const openaiSchema = z
  .strictObject({
    base_url: z
      .url({ protocol: /^https?$/ })
      .default('https://api.openai.com/v1')
      .describe('Any endpoint that speaks the OpenAI chat API.'),
    key_variable: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable')
      .max(200)
      .default('OPENAI_API_KEY')
      .describe('The environment variable that holds the key. Never put the key itself into this file.'),
    organization: z.string().max(200).optional().describe('Sent as the organization.'),
    project: z.string().max(200).optional().describe('Sent as the project.'),
    headers: z
      .record(z.string().max(200), z.string().max(1000))
      .default({})
      .describe('Additional headers for each request. Do not put secrets here: this file is public.'),
    query: z
      .record(z.string().max(200), z.string().max(1000))
      .default({})
      .describe('Additional query parameters, such as {api-version: 2024-10-21} for Azure.'),
    request_timeout_seconds: timeoutSeconds
      .default(120)
      .describe('A request that is silent for this long is aborted and tried again.'),
    tries: z
      .int()
      .min(1)
      .max(20)
      .default(5)
      .describe('How often to try a request that fails with 429, 5xx, a timeout or a broken stream.'),
    models: z.array(modelSchema).min(1).max(20).describe('The models to choose from.'),
  })
  .describe('The endpoint and the models of the agent openai.')

const commandSchema = z
  .strictObject({
    code: shellLine.describe("The shell line that edits the files. It runs in the candidate's folder."),
    plan: shellLine
      .optional()
      .describe('The shell line that prints a plan. Without it, the coding command makes its own plan.'),
    brief: z
      .enum(['stdin', 'file'])
      .default('stdin')
      .describe('Where the command finds its brief: on stdin, or in the file that LORELEY_BRIEF names.'),
    environment: environmentNames
      .default([])
      .describe('Names of environment variables that the command may see, including its key.'),
  })
  .describe(
    'The commands of the agent command. docs/how-to/choose-an-agent.md has presets for well-known tools.',
  )

const agentLimits = z
  .strictObject({
    turns: z.int().min(1).max(1000).default(40).describe('The most model replies while coding.'),
    tokens: z
      .int()
      .min(1000)
      .max(MOST_REPORTED)
      .default(400_000)
      .describe('The most tokens, input and output together.'),
    dollars: z.number().positive().max(MOST_ALLOWED).optional().describe('The most money, in US dollars.'),
    bytes: z
      .int()
      .min(1024)
      .max(MOST_ALLOWED)
      .default(1_048_576)
      .describe('The most bytes that its edits may write.'),
  })
  .prefault({})
  .describe('What the agent openai may spend on one candidate.')

const agentName = z.enum(['offline', 'openai', 'command'])

export const agentSchema = z
  .strictObject({
    use: agentName
      .default('offline')
      .describe(
        'Who writes the candidates. offline edits code without a model or network, openai talks to a model, command runs your own coding tool.',
      ),
    planner: agentName.optional().describe('Who plans. Defaults to agent.use.'),
    timeout_seconds: timeoutSeconds
      .default(600)
      .describe('After this time the agent is stopped and the candidate fails.'),
    rework: z
      .boolean()
      .default(true)
      .describe(
        'Give the agent a second pass when the guard, the check or a gate refuses its work. Not for offline.',
      ),
    check: shellLine
      .optional()
      .describe(
        'A quick check, such as a type check, that the agent may run and its work must pass. Only with `loreley run`.',
      ),
    check_timeout_seconds: timeoutSeconds.default(120).describe('After this time the check fails.'),
    limits: agentLimits,
    openai: openaiSchema.optional(),
    command: commandSchema.optional(),
  })
  .superRefine((agent, context) => {
    for (const name of ['openai', 'command'] as const) {
      const isUsed = agent.use === name || agent.planner === name
      if (isUsed && agent[name] === undefined)
        context.addIssue({
          code: 'custom',
          path: [name],
          message: `is required when the agent ${name} is used, and is missing`,
          params: { hint: `Add agent.${name}; docs/how-to/choose-an-agent.md has examples.` },
        })
    }
  })
  .prefault({})
  .describe('Who writes the candidates.')
