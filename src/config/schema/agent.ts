import * as z from 'zod'
import { environmentNames, shellLine, timeoutSeconds } from './scalars.ts'

const price = z
  .strictObject({
    input: z.number().min(0).describe('US dollars for a million tokens of input.'),
    output: z.number().min(0).describe('US dollars for a million tokens of output.'),
    cached_input: z
      .number()
      .min(0)
      .optional()
      .describe(
        'US dollars for a million tokens of input that the endpoint had cached. By default as input.',
      ),
  })
  .describe('What the model costs. Without it its tokens are recorded as unpriced, never as free.')

const modelSchema = z
  .strictObject({
    name: z.string().trim().min(1).max(200).describe('The name that the endpoint knows the model by.'),
    for: z
      .enum(['both', 'plan', 'code'])
      .default('both')
      .describe('What it is used for: a strong model may plan and a cheap one code.'),
    weight: z
      .number()
      .positive()
      .max(1000)
      .default(1)
      .describe('How often it is chosen, relative to the others of the same use.'),
    context_tokens: z
      .int()
      .min(1024)
      .max(10_000_000)
      .default(128_000)
      .describe('How much it can read at once; older tool results are left out before that is reached.'),
    max_output_tokens: z
      .int()
      .min(64)
      .max(1_000_000)
      .default(8192)
      .describe('The most that it may write in one turn.'),
    price: price.optional(),
    parameters: z
      .record(z.string().max(100), z.union([z.string(), z.number(), z.boolean()]))
      .default({})
      .describe('Further fields of the request, such as {temperature: 0.7} or {reasoning_effort: low}.'),
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
      .describe('The environment variable that holds the key. The key itself is never in this file.'),
    organization: z.string().max(200).optional().describe('Sent as the organisation.'),
    project: z.string().max(200).optional().describe('Sent as the project.'),
    headers: z
      .record(z.string().max(200), z.string().max(1000))
      .default({})
      .describe('Further headers of each request; no secrets, this file is public.'),
    query: z
      .record(z.string().max(200), z.string().max(1000))
      .default({})
      .describe('Further query parameters, such as {api-version: 2024-10-21} for Azure.'),
    request_timeout_seconds: timeoutSeconds
      .default(120)
      .describe('A request that says nothing for this long is given up and tried again.'),
    tries: z
      .int()
      .min(1)
      .max(20)
      .default(5)
      .describe('How often a request is made that ends in 429, 5xx, a time-out or a cut stream.'),
    models: z.array(modelSchema).min(1).max(20).describe('The models to choose from.'),
  })
  .describe('The endpoint and the models of the agent openai.')

const commandSchema = z
  .strictObject({
    code: shellLine.describe("The shell line that edits the files; it is run in the candidate's folder."),
    plan: shellLine
      .optional()
      .describe('The shell line that prints a plan. Without it the coding command plans for itself.'),
    brief: z
      .enum(['stdin', 'file'])
      .default('stdin')
      .describe('Where the command finds its brief: on stdin, or in the file that LORELEY_BRIEF names.'),
    environment: environmentNames
      .default([])
      .describe('Names of environment variables that the command may see, its key among them.'),
  })
  .describe(
    'The commands of the agent command. Presets for well-known tools are in docs/how-to/choose-an-agent.md.',
  )

const agentLimits = z
  .strictObject({
    turns: z.int().min(1).max(1000).default(40).describe('The most replies of the model while coding.'),
    tokens: z.int().min(1000).default(400_000).describe('The most tokens, input and output together.'),
    dollars: z.number().positive().optional().describe('The most money, in US dollars.'),
    bytes: z.int().min(1024).default(1_048_576).describe('The most bytes that its edits may write.'),
  })
  .prefault({})
  .describe('What the agent openai may spend on one candidate.')

const agentName = z.enum(['offline', 'openai', 'command'])

export const agentSchema = z
  .strictObject({
    use: agentName
      .default('offline')
      .describe(
        'Who writes the candidates: offline edits code without a model or network, openai talks to a model, command runs a coding tool of yours.',
      ),
    planner: agentName.optional().describe('Who plans, when it is not the one who writes.'),
    timeout_seconds: timeoutSeconds
      .default(600)
      .describe('After this the agent is stopped and the candidate counts as failed.'),
    rework: z
      .boolean()
      .default(true)
      .describe('One more pass when the guard, the check or a gate refuses the work. Not for offline.'),
    check: shellLine
      .optional()
      .describe(
        'A quick check, such as a type check, that the agent may run and that its work must pass. With `loreley run` only.',
      ),
    check_timeout_seconds: timeoutSeconds.default(120).describe('After this the check counts as failed.'),
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
