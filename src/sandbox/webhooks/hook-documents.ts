import { defineTable } from '../state/store.ts'

/** A webhook that a repository's admin made. */
export interface RepositoryHook {
  readonly id: number
  readonly repositoryId: number
  readonly url: string
  readonly secret: string | null
  readonly events: readonly string[]
  readonly active: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

export type HookReference =
  | { readonly kind: 'app'; readonly appId: number }
  | { readonly kind: 'repository'; readonly hookId: number }

/** One attempt to tell a webhook of an event. */
export interface Delivery {
  readonly id: number
  /** The same for all attempts at one event. */
  readonly guid: string
  readonly hook: HookReference
  readonly event: string
  readonly action: string | null
  readonly payload: Readonly<Record<string, unknown>>
  readonly installationId: number | null
  readonly repositoryId: number | null
  readonly redelivery: boolean
  readonly url: string
  readonly createdAt: string
  /** Undefined until there was an attempt: such a delivery is made after a restart. */
  readonly outcome?: DeliveryOutcome
}

export interface DeliveryOutcome {
  readonly deliveredAt: string
  readonly seconds: number
  readonly status: string
  readonly statusCode: number
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly responseBody: string
}

export const repositoryHooks = defineTable<RepositoryHook>('repository-hooks')
export const deliveries = defineTable<Delivery>('deliveries')
