import type { Family } from '../box.ts'
import { actorKey } from '../http/actor.ts'
import { type Call, route } from '../http/call.ts'
import { notFound } from '../http/errors.ts'
import { senderOf } from '../http/mover.ts'
import { content, ok, type Reply } from '../http/reply.ts'
import { findUser } from '../state/lookups.ts'
import { fullUserView } from '../views/users.ts'

/** The API's own facts: limits, who am I, other users. */
export const metaFamily: Family = {
  routes: [
    route('GET /zen', 'anyone', () => content('text/plain', 'Keep it logically awesome.')),
    route('GET /rate_limit', 'anyone', getRateLimit),
    route('GET /user', 'user', (call) => ok(fullUserView(call.box, senderOf(call)))),
    route('GET /users/{username}', 'anyone', getUserByName),
  ],
}

function getRateLimit(call: Call): Reply {
  const read = (resource: string) => call.box.limits.read(actorKey(call.actor), resource)
  return ok({
    resources: { core: read('core'), graphql: read('graphql'), search: read('search') },
    rate: read('core'),
  })
}

function getUserByName(call: Call): Reply {
  const user = findUser(call.box.store, call.path.text('username'))
  if (user === undefined) throw notFound()
  return ok(fullUserView(call.box, user))
}
