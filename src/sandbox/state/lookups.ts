import {
  type App,
  apps,
  type Installation,
  installations,
  type RepositoryDocument,
  ROLES,
  type Role,
  repositories,
  type User,
  users,
} from './documents.ts'
import type { Store } from './store.ts'

/** Logins and names are case-insensitive, as on GitHub. */
export function findUser(store: Store, login: string): User | undefined {
  return users(store).find(login.toLowerCase())
}

/** The user with this login. A deleted user reads as GitHub's `ghost`. */
export function getUser(store: Store, login: string): User {
  return findUser(store, login) ?? { ...GHOST, login }
}

const GHOST: User = {
  id: 10137,
  login: 'ghost',
  name: null,
  email: null,
  type: 'User',
  createdAt: '2008-05-13T06:14:25Z',
}

export function findRepository(store: Store, owner: string, name: string): RepositoryDocument | undefined {
  const fullName = `${owner}/${name}`.toLowerCase()
  return repositories(store)
    .all()
    .find((repository) => `${repository.owner}/${repository.name}`.toLowerCase() === fullName)
}

/** A person's role, or undefined. */
export function findRole(repository: RepositoryDocument, login: string): Role | undefined {
  if (login.toLowerCase() === repository.owner.toLowerCase()) return 'admin'
  const given = Object.entries(repository.collaborators).find(
    ([name]) => name.toLowerCase() === login.toLowerCase(),
  )
  return given?.[1] ?? (repository.private ? undefined : 'read')
}

export function hasRole(repository: RepositoryDocument, login: string, atLeast: Role): boolean {
  const role = findRole(repository, login)
  return role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(atLeast)
}

export function findApp(store: Store, idOrClientId: string): App | undefined {
  return (
    apps(store).find(idOrClientId) ??
    apps(store)
      .all()
      .find((app) => app.clientId === idOrClientId)
  )
}

export function installationCovers(installation: Installation, repository: RepositoryDocument): boolean {
  if (installation.account.toLowerCase() !== repository.owner.toLowerCase()) return false
  return installation.repositories === 'all' || installation.repositories.includes(repository.id)
}

export function installationsOn(store: Store, repository: RepositoryDocument): Installation[] {
  return installations(store)
    .all()
    .filter((installation) => installationCovers(installation, repository))
}

export function repositoriesOf(store: Store, installation: Installation): RepositoryDocument[] {
  return repositories(store)
    .all()
    .filter((repository) => installationCovers(installation, repository))
}
