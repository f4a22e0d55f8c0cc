import * as z from 'zod'
import type { AppRequester } from './repository-transport.ts'

/** A webhook in the App's own log. A redelivery keeps the GUID. */
export interface HookDelivery {
  readonly id: number
  readonly guid: string
  readonly atMs: number
  readonly event: string
  readonly action: string | null
  readonly repository: number | null
}

const PAGE = 100
const MOST_PAGES = 10

const deliveries = z.array(
  z
    .object({
      id: z.number(),
      guid: z.string(),
      delivered_at: z.string(),
      event: z.string(),
      action: z.string().nullable(),
      repository_id: z.number().nullish(),
    })
    .transform(
      ({ id, guid, delivered_at, event, action, repository_id }): HookDelivery => ({
        id,
        guid,
        atMs: Date.parse(delivered_at),
        event,
        action,
        repository: repository_id ?? null,
      }),
    ),
)
const delivery = z.object({ request: z.object({ payload: z.unknown() }) })

/** The webhooks that GitHub sent since then, delivered or not, newest first. A very long log is cut. */
export async function listDeliveries(app: AppRequester, sinceMs: number): Promise<readonly HookDelivery[]> {
  const found: HookDelivery[] = []
  let cursor: string | undefined
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { data, headers } = await app.request('GET /app/hook/deliveries', {
      per_page: PAGE,
      ...(cursor !== undefined && { cursor }),
    })
    const listed = deliveries.parse(data)
    found.push(...listed.filter(({ atMs }) => atMs >= sinceMs))
    cursor = findCursor(headers?.link)
    if (cursor === undefined || listed.some(({ atMs }) => atMs < sinceMs)) break
  }
  return found
}

/** What a webhook said. */
export async function readPayload(app: AppRequester, id: number): Promise<unknown> {
  const { data } = await app.request('GET /app/hook/deliveries/{delivery_id}', { delivery_id: id })
  return delivery.parse(data).request.payload
}

function findCursor(link = ''): string | undefined {
  const [, next] = /<([^>]+)>;\s*rel="next"/.exec(link) ?? []
  return next === undefined ? undefined : (new URL(next).searchParams.get('cursor') ?? undefined)
}
