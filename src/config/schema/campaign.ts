import * as z from 'zod'
import { agentSchema } from './agent.ts'
import { archiveSchema } from './archive.ts'
import { evaluationSchema } from './evaluation.ts'
import { limitsSchema } from './limits.ts'
import { objectivesSchema } from './objectives.ts'
import { pullSchema } from './pull.ts'
import { campaignName } from './scalars.ts'
import { scheduleSchema } from './schedule.ts'
import { scopeSchema } from './scope.ts'
import { searchSchema } from './search.ts'

const sentence = z.string().trim().min(1).max(1000)

/** One complete campaign, after shared values and overrides are merged. The only truth about the keys. */
export const campaignSchema = z
  .strictObject({
    goal: z.string().trim().min(1).max(2000).describe('What should become better, in plain words.'),
    constraints: z
      .array(sentence)
      .max(50)
      .default([])
      .describe('What must stay true, one sentence each; shown to the agent.'),
    acceptance: z
      .array(sentence)
      .max(50)
      .default([])
      .describe('When a result is good enough to merge, one sentence each; shown to the agent.'),
    notes: z
      .string()
      .trim()
      .max(10_000)
      .default('')
      .describe('Anything else the agent should know about this repository.'),
    scope: scopeSchema,
    objectives: objectivesSchema,
    evaluation: evaluationSchema,
    search: searchSchema,
    agent: agentSchema,
    limits: limitsSchema,
    pr: pullSchema,
    archive: archiveSchema,
    label: z
      .string()
      .trim()
      .min(1)
      .max(50)
      .default('loreley')
      .describe('The label that starts this campaign when a writer puts it on an issue.'),
    schedule: scheduleSchema.optional(),
  })
  .superRefine(({ agent, limits }, context) => {
    if (limits.dollars === undefined || agent.openai === undefined) return
    for (const [index, { name, price }] of agent.openai.models.entries()) {
      if (price === undefined)
        context.addIssue({
          code: 'custom',
          path: ['agent', 'openai', 'models', index, 'price'],
          message: `is required when limits.dollars is set, and ${name} has none`,
          params: { hint: 'A budget in dollars cannot be held with a model whose price is not known.' },
        })
    }
  })

export type CampaignInput = z.output<typeof campaignSchema>

/** More would be a mistake, or an attempt to keep a server busy. */
export const MAX_CAMPAIGNS = 100

/** What only the file as a whole has; everything else at its top level is shared by the campaigns. */
export const fileSchema = z.looseObject({
  version: z.literal(1).default(1).describe('The version of this file format; there is only 1.'),
  campaigns: z
    .record(campaignName, z.record(z.string(), z.unknown()))
    .refine((campaigns) => Object.keys(campaigns).length > 0, {
      error: 'must name at least one campaign',
      params: { hint: 'Delete the key to have one campaign named default.' },
    })
    .refine((campaigns) => Object.keys(campaigns).length <= MAX_CAMPAIGNS, {
      error: `must name at most ${MAX_CAMPAIGNS} campaigns`,
      params: { hint: 'Split the work between repositories, or delete old campaigns.' },
    })
    .optional()
    .describe('Named campaigns. Each holds what differs from the values at the top level.'),
})
