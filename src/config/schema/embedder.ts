import * as z from 'zod'
import { MOST_ALLOWED } from '../../core/number-bounds.ts'
import { shellLine } from './scalars.ts'

/** How source text becomes vectors, for learned axes. */
export const embedderSchema = z
  .strictObject({
    use: z
      .enum(['hashing', 'openai', 'command'])
      .default('hashing')
      .describe(
        'hashing needs no key and no network, openai is any endpoint with the OpenAI embeddings API, command is your own program.',
      ),
    dimensions: z.int().min(8).max(4096).default(512).describe('The length of the vectors.'),
    extensions: z
      .array(z.string().regex(/^[A-Za-z0-9_+-]{1,20}$/, 'must be an extension without its dot'))
      .max(50)
      .default([])
      .describe('Extensions of additional files to include, such as `rkt`. See also .loreleyignore.'),
    send_dimensions: z
      .boolean()
      .default(true)
      .describe(
        'For openai: whether to request vectors of that length. Set it to false for models with a fixed length.',
      ),
    needs_key: z
      .boolean()
      .default(true)
      .describe(
        'For openai: whether the endpoint needs a key. Set it to false for your own server without one.',
      ),
    model: z.string().min(1).max(200).default('text-embedding-3-small').describe('For openai: the model.'),
    base_url: z
      .url({ protocol: /^https?$/ })
      .default('https://api.openai.com/v1')
      .describe('For openai: the base URL of the endpoint, including the version.'),
    key_variable: z
      .string()
      .max(200)
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable')
      .default('OPENAI_API_KEY')
      .describe(
        'For openai: the environment variable that holds the key. Never put the key itself into this file.',
      ),
    dollars_per_million_tokens: z
      .number()
      .min(0)
      .max(MOST_ALLOWED)
      .default(0.02)
      .describe('What the model costs. It counts against limits.dollars.'),
    command: shellLine
      .optional()
      .describe(
        'For command: a shell line that reads a JSON array of texts and prints a JSON array of as many vectors. It runs in a checkout of the root and sees only PATH of your environment.',
      ),
  })
  .superRefine(({ use, command }, context) => {
    if (use === 'command' && command === undefined)
      context.addIssue({
        code: 'custom',
        path: ['command'],
        message: 'is required when use is command, and is missing',
        params: { hint: 'Name a program that turns texts into vectors, or use hashing.' },
      })
  })
  .prefault({})
  .describe('How source text becomes vectors, for the learned axes.')
