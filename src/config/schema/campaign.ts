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

/** One complete campaign after merging shared values and overrides. The single source of truth for the keys. */
export const campaignSchema = z
  .strictObject({
    goal: z.string().trim().min(1).max(2000).describe('What to improve, in plain words.'),
    constraints: z
      .array(sentence)
      .max(50)
      .default([])
      .describe('What must stay true, one sentence each. The agent sees this.'),
    acceptance: z
      .array(sentence)
      .max(50)
      .default([])
      .describe('When a result is good enough to merge, one sentence each. The agent sees this.'),
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
          params: { hint: 'Without the price of every model, a dollar budget cannot be enforced.' },
        })
    }
  })

export type CampaignInput = z.output<typeof campaignSchema>

/** More would be a mistake or an attack on the server. */
export const MAX_CAMPAIGNS = 100

/** Keys of the file itself. All other top-level keys are shared by the campaigns. */
export const fileSchema = z.looseObject({
  version: z.literal(1).default(1).describe('The version of this file format. Only 1 exists.'),
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
    .describe('Named campaigns. Each overrides values of the top level.'),
})
