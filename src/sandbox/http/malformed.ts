import type { Actor } from '../access/actor.ts'
import type { Box } from '../box.ts'
import type { Complaint } from '../contract/contract.ts'

const KEPT = 100

/** A request that GitHub's API descriptions do not allow. */
export interface Malformed {
  readonly request: { readonly method: string; readonly pathname: string }
  readonly actor: Actor
  readonly complaints: readonly Complaint[]
}

/** Records an App's malformed request. Requests by people are not recorded. */
export function recordMalformed({ malformed }: Box, { request, actor, complaints }: Malformed): void {
  const isApp = actor.kind === 'app' || actor.kind === 'installation'
  if (!isApp || malformed.length >= KEPT) return
  for (const { path, message } of complaints)
    malformed.push(`${request.method} ${request.pathname}: ${path || '/'} ${message}`)
}
