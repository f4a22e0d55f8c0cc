import * as z from 'zod'
import { shellLine } from './scalars.ts'

/** How source text becomes vectors, for learned axes. */
export const embedderSchema = z
  .strictObject({
    use: z
      .enum(['hashing', 'openai', 'command'])
      .default('hashing')
      .describe(
        'hashing needs no key and no network; openai is any endpoint that speaks its protocol; command is a program of yours.',
      ),
    dimensions: z.int().min(8).max(4096).default(512).describe('How many numbers a text becomes.'),
    extensions: z
      .array(z.string().regex(/^[A-Za-z0-9_+-]{1,20}$/, 'must be an extension without its dot'))
      .max(50)
      .default([])
      .describe('Endings of further files that take part, such as `rkt`; see also .loreleyignore.'),
    send_dimensions: z
      .boolean()
      .default(true)
      .describe(
        'Whether the endpoint is asked for vectors of that length, for openai. Set false for models that have only one.',
      ),
    needs_key: z
      .boolean()
      .default(true)
      .describe(
        'Whether the endpoint asks for a key, for openai. Set false for a server of yours that does not.',
      ),
    model: z.string().min(1).max(200).default('text-embedding-3-small').describe('The model, for openai.'),
    base_url: z
      .url({ protocol: /^https?$/ })
      .default('https://api.openai.com/v1')
      .describe('Where the endpoint is, up to and with its version, for openai.'),
    key_variable: z
      .string()
      .max(200)
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable')
      .default('OPENAI_API_KEY')
      .describe(
        'The environment variable that holds the key, for openai. The key itself is never in this file.',
      ),
    dollars_per_million_tokens: z
      .number()
      .min(0)
      .default(0.02)
      .describe('What the model costs, so that it counts against limits.dollars.'),
    command: shellLine
      .optional()
      .describe(
        'Reads a JSON array of texts and prints a JSON array of as many vectors, for command. Runs in a checkout of the root with nothing of your environment but PATH.',
      ),
  })
  .superRefine(({ use, command }, context) => {
    if (use === 'command' && command === undefined)
      context.addIssue({
        code: 'custom',
        path: ['command'],
        message: 'is needed when use is command',
        params: { hint: 'Name a program that turns texts into vectors, or use hashing.' },
      })
  })
  .prefault({})
  .describe('How source text becomes vectors, for the learned axes.')
