import type { Box } from '../../box.ts'
import type { Fields } from '../../http/fields.ts'
import type { Job } from '../documents.ts'

/** A call on behalf of a job. `fields` is the request body. */
export interface ServiceCall {
  readonly box: Box
  readonly job: Job
  readonly fields: Fields
}

export type ServiceMethod = (call: ServiceCall) => Readonly<Record<string, unknown>>

/** One service, by method name. */
export type ServiceMethods = ReadonlyMap<string, ServiceMethod>
