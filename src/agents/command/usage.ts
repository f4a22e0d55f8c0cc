import * as z from 'zod'
import { MOST_REPORTED } from '../../core/number-bounds.ts'
import type { ModelCall } from '../meter.ts'

// Too much is counted as the most that anybody can report: that exhausts the budget instead of counting as nothing.
const amount = z
  .number()
  .nonnegative()
  .transform((given) => Math.min(given, MOST_REPORTED))
const usageFile = z.object({
  model: z.string().max(200).default('unknown'),
  input_tokens: amount.default(0),
  output_tokens: amount.default(0),
  dollars: amount.optional(),
})

/** What a command reports to have spent, in the file named by LORELEY_USAGE; undefined if nothing. */
export function readUsage(text: string): ModelCall | undefined {
  const parsed = usageFile.safeParse(parseJson(text))
  if (!parsed.success) return undefined
  const { model, input_tokens: inputTokens, output_tokens: outputTokens, dollars } = parsed.data
  return { model, inputTokens, outputTokens, dollars }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
