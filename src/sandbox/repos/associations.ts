import type { RepositoryDocument } from '../state/documents.ts'

/** What an author is to a repository. Past contributions are not looked at: such an author reads as NONE. */
export function authorAssociation(repo: RepositoryDocument, login: string): string {
  const same = (name: string): boolean => name.toLowerCase() === login.toLowerCase()
  if (same(repo.owner)) return 'OWNER'
  return Object.keys(repo.collaborators).some(same) ? 'COLLABORATOR' : 'NONE'
}
