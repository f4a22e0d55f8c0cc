import { defineTable, type Store } from '../state/store.ts'

/** A repository's webhook. */
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

/** One attempt to deliver an event. */
export interface Delivery {
  readonly id: number
  /** The same for all deliveries of one event. */
  readonly guid: string
  readonly hook: HookReference
  readonly event: string
  readonly action: string | null
  /** The payload as sent. Text takes a third of the memory of objects. */
  readonly body: string
  readonly installationId: number | null
  readonly repositoryId: number | null
  readonly redelivery: boolean
  readonly url: string
  readonly createdAt: string
  /** Undefined until it is attempted. A restart attempts it. */
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

// Outcomes are separate rows, so that a payload is written only once.
const requests = defineTable<Omit<Delivery, 'outcome'>>('deliveries')
const outcomes = defineTable<DeliveryOutcome>('delivery-outcomes')

/** All stored deliveries, oldest first. */
export function listDeliveries(store: Store): Delivery[] {
  return requests(store)
    .all()
    .map((request) => withOutcome(store, request))
}

export function findDelivery(store: Store, id: number): Delivery | undefined {
  const request = requests(store).find(id)
  return request === undefined ? undefined : withOutcome(store, request)
}

export function putDelivery(store: Store, request: Omit<Delivery, 'outcome'>): Delivery {
  return requests(store).put(request.id, request)
}

export function putOutcome(store: Store, id: number, outcome: DeliveryOutcome): void {
  // The delivery may already have been dropped from the log.
  if (requests(store).find(id) !== undefined) outcomes(store).put(id, outcome)
}

export function removeDelivery(store: Store, id: number): void {
  requests(store).remove(id)
  outcomes(store).remove(id)
}

function withOutcome(store: Store, request: Omit<Delivery, 'outcome'>): Delivery {
  const outcome = outcomes(store).find(request.id)
  return outcome === undefined ? request : { ...request, outcome }
}
