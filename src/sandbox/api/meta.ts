import type { Family } from '../box.ts'
import { actorKey } from '../http/actor.ts'
import { type Call, route } from '../http/call.ts'
import { content, ok, type Reply } from '../http/reply.ts'

/** The API's own facts: limits, and that it is there. */
export const metaFamily: Family = {
  routes: [
    route('GET /zen', 'anyone', () => content('text/plain', 'Keep it logically awesome.')),
    route('GET /rate_limit', 'anyone', getRateLimit),
  ],
}

function getRateLimit(call: Call): Reply {
  const read = (resource: string) => call.box.limits.read(actorKey(call.actor), resource)
  return ok({
    resources: { core: read('core'), graphql: read('graphql'), search: read('search') },
    rate: read('core'),
  })
}
