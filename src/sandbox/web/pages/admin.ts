import { ApiError } from '../../http/errors.ts'
import { repositories } from '../../state/documents.ts'
import { hasRole } from '../../state/lookups.ts'
import type { Visit } from '../visit.ts'

/** Throws unless the visitor administers every repository: these pages show and change what belongs to all. */
export function assertAdmin({ box, session }: Visit): void {
  const login = session.login ?? ''
  const all = repositories(box.store).all()
  if (login !== '' && all.every((repository) => hasRole(repository, login, 'admin'))) return
  throw new ApiError(403, 'This page is for an admin. Switch to one above.')
}
