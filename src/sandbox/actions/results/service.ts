import type { Box } from '../../box.ts'
import type { Fields } from '../../http/fields.ts'
import type { Job } from '../documents.ts'

/** A call in the name of a job; `fields` is what it sent. */
export interface ServiceCall {
  readonly box: Box
  readonly job: Job
  readonly fields: Fields
}

export type ServiceMethod = (call: ServiceCall) => Readonly<Record<string, unknown>>

/** One of the services that actions ask. */
export type ServiceMethods = ReadonlyMap<string, ServiceMethod>
