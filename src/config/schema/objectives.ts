import * as z from 'zod'
import { metricName, metricValue } from './scalars.ts'

const objectiveSchema = z
  .strictObject({
    metric: metricName,
    direction: z.enum(['maximize', 'minimize']).describe('Whether a higher or a lower value is better.'),
    target: metricValue.optional().describe('The campaign stops when the best candidate reaches this.'),
    min: metricValue.optional().describe('The lowest possible value. Candidates below it are refused.'),
    max: metricValue.optional().describe('The highest possible value. Candidates above it are refused.'),
  })
  .superRefine(({ target, min, max }, context) => {
    const refuse = (path: string[], message: string, hint: string) =>
      context.addIssue({ code: 'custom', path, message, params: { hint } })
    if (min !== undefined && max !== undefined && min >= max)
      refuse(['max'], `must be more than min (${min})`, 'Swap min and max, or delete one of them.')
    else if (target !== undefined && min !== undefined && target < min)
      refuse(
        ['target'],
        `is below min (${min})`,
        'A target outside the bounds can never be reached. Change one of them.',
      )
    else if (target !== undefined && max !== undefined && target > max)
      refuse(
        ['target'],
        `is above max (${max})`,
        'A target outside the bounds can never be reached. Change one of them.',
      )
  })

export const objectivesSchema = z
  .array(objectiveSchema)
  .min(1)
  .superRefine((objectives, context) => {
    const seen = new Set<string>()
    for (const [index, { metric }] of objectives.entries()) {
      if (seen.has(metric))
        context.addIssue({
          code: 'custom',
          path: [index, 'metric'],
          message: `is the same metric as in an earlier objective (${metric})`,
          params: { hint: 'Keep one objective per metric.' },
        })
      seen.add(metric)
    }
  })
  .describe(
    'What better means. With several objectives a niche keeps the best trade-offs. Where one winner is needed, the first objective decides and later ones break ties.',
  )
