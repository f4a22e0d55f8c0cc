import type { Delivery } from './hooks.ts'

/** One line of a delivery log. */
export function deliveryItemView(delivery: Delivery) {
  return {
    id: delivery.id,
    guid: delivery.guid,
    delivered_at: delivery.outcome?.deliveredAt ?? delivery.createdAt,
    redelivery: delivery.redelivery,
    duration: delivery.outcome?.seconds ?? 0,
    status: delivery.outcome?.status ?? 'pending',
    status_code: delivery.outcome?.statusCode ?? 0,
    event: delivery.event,
    action: delivery.action,
    installation_id: delivery.installationId,
    repository_id: delivery.repositoryId,
  }
}

/** A delivery with what was sent and answered. */
export function deliveryView(delivery: Delivery) {
  return {
    ...deliveryItemView(delivery),
    url: delivery.url,
    request: { headers: delivery.outcome?.requestHeaders ?? null, payload: JSON.parse(delivery.body) },
    response: {
      headers: delivery.outcome?.responseHeaders ?? null,
      payload: delivery.outcome?.responseBody ?? null,
    },
  }
}
