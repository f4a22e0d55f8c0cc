import * as z from 'zod'
import { RUN_KINDS } from './dispatch.ts'

/** Which run made an artifact. A reader compares them with what it dispatched. */
export const dispatchFacts = {
  kind: z.enum(RUN_KINDS),
  candidate: z.string().max(60),
  /** Of the job; 1 where there is none. */
  attempt: z.int().min(1).max(1000),
  nonce: z.string().max(64),
}
