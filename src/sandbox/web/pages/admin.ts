import { ApiError } from '../../http/errors.ts'
import { repositories } from '../../state/documents.ts'
import { hasRole } from '../../state/lookups.ts'
import type { Visit } from '../visit.ts'

/** Throws unless the visitor is an admin of every repository, because these pages affect all of them. */
export function assertAdmin({ box, session }: Visit): void {
  const login = session.login ?? ''
  const all = repositories(box.store).all()
  if (login !== '' && all.every((repository) => hasRole(repository, login, 'admin'))) return
  throw new ApiError(403, 'Only admins can use this page. Switch to one above.')
}
