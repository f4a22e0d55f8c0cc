import type { Call } from '../box.ts'
import type { Mover } from '../git/ref-move.ts'
import { ApiError } from '../http/errors.ts'
import type { User } from '../state/documents.ts'
import type { Actor } from './actor.ts'
import { grants } from './permissions.ts'

/** The sender of events: a person, or the App's bot. */
export function senderOf(call: Call): User {
  if (call.actor.kind === 'anonymous') throw new ApiError(401, 'Requires authentication')
  return call.actor.user
}

/** The sender and, for a workflow job's token, its run. Spread it into an event. */
export function byActor(call: Call): { readonly sender: User; readonly runId?: number } {
  const runId = call.actor.kind === 'installation' ? call.actor.token.runId : undefined
  return { sender: senderOf(call), ...(runId === undefined ? {} : { runId }) }
}

/** Who moves refs, and what their token allows. */
export function moverOf(call: Call): Mover {
  return { ...byActor(call), ...rightsOf(call.actor) }
}

/** What the actor's token allows when refs move. */
export function rightsOf(actor: Actor): Pick<Mover, 'mayChangeWorkflows' | 'appId'> {
  if (actor.kind !== 'installation') return { mayChangeWorkflows: true }
  return {
    mayChangeWorkflows: grants(actor.token.permissions, { workflows: 'write' }),
    appId: actor.app.id,
  }
}
