import * as z from 'zod'
import { timeoutSeconds } from './scalars.ts'

export const agentSchema = z
  .strictObject({
    use: z
      .enum(['offline'])
      .default('offline')
      .describe('Who writes the candidates: offline edits code without a model or network.'),
    timeout_seconds: timeoutSeconds
      .default(600)
      .describe('After this the agent is stopped and the candidate counts as failed.'),
  })
  .prefault({})
  .describe('Who writes the candidates.')
