import type { User } from '../state/documents.ts'

/** A ref that has moved. Undefined means it did not exist before, or no longer exists. */
export interface RefMove {
  readonly ref: string
  readonly before: string | undefined
  readonly after: string | undefined
  readonly forced: boolean
}

/** Who moves refs, and what their token allows. */
export interface Mover {
  readonly sender: User
  readonly mayChangeWorkflows: boolean
  /** The App whose token it is: rules may let it bypass them. */
  readonly appId?: number
  readonly runId?: number
}
