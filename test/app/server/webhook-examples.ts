import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import * as z from 'zod'

const file = createRequire(import.meta.url).resolve('@octokit/webhooks-examples/api.github.com/index.json')

/** GitHub's own example payloads, by event. */
export const EXAMPLES = z
  .array(z.object({ name: z.string(), examples: z.array(z.looseObject({})) }))
  .parse(JSON.parse(readFileSync(file, 'utf8')))
