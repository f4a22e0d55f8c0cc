import type { Need, RouteAccess, Who } from '../access/permissions.ts'
import type { Handler, RepoHandler, Route } from '../box.ts'

/** A route below /repos/{owner}/{repo}: `repoRoute('GET /repos/{owner}/{repo}/labels', { issues: 'read' }, listLabels)`. */
export function repoRoute(signature: string, access: Need | RouteAccess, handle: RepoHandler): Route {
  return { ...parseSignature(signature), kind: 'repository', access: parseAccess(access), handle }
}

/** Any other route. */
export function route(signature: string, who: Who, handle: Handler): Route {
  return { ...parseSignature(signature), kind: 'general', who, handle }
}

function parseSignature(signature: string): Pick<Route, 'method' | 'template'> {
  const space = signature.indexOf(' ')
  return { method: signature.slice(0, space), template: signature.slice(space + 1) }
}

function parseAccess(access: Need | RouteAccess): RouteAccess {
  return typeof access.needs === 'object' ? (access as RouteAccess) : { needs: access as Need }
}
