import type { Box, Family, RepoCall } from '../../box.ts'
import { createEnvironment, getEnvironment } from '../../environments/environment-routes.ts'
import { findEnvironment } from '../../environments/environments.ts'
import { notFound } from '../../http/errors.ts'
import { listIn, noContent, ok, type Reply } from '../../http/reply.ts'
import { repoRoute } from '../../http/route.ts'
import type { RepositoryDocument } from '../../state/documents.ts'
import {
  findValue,
  listValues,
  type NamedValue,
  putValue,
  removeValue,
  type Scope,
} from './secrets-and-variables.ts'

const REPOSITORY = '/repos/{owner}/{repo}/actions/secrets'
const ENVIRONMENT = '/repos/{owner}/{repo}/environments/{environment_name}/secrets'

/**
 * Names of secrets. Values are never shown. `setSecret` sets them: the API for sealed values is not supported.
 */
export const secretsFamily: Family = {
  routes: [
    ...secretRoutes(REPOSITORY, 'secrets', (call) => ({ repo: call.repo, environmentId: null })),
    ...secretRoutes(ENVIRONMENT, 'environments', (call) => ({
      repo: call.repo,
      environmentId: getEnvironment(call).id,
    })),
  ],
}

function secretRoutes(path: string, permission: string, scopeOf: (call: RepoCall) => Scope) {
  const read = { needs: { [permission]: 'read' }, role: 'write' } as const
  const write = { needs: { [permission]: 'write' }, role: 'write' } as const
  const get = (call: RepoCall): NamedValue => {
    const found = findValue(call.box, 'secret', scopeOf(call), call.path.text('secret_name'))
    if (found === undefined) throw notFound()
    return found
  }
  return [
    repoRoute(`GET ${path}`, read, (call) =>
      listIn(call, 'secrets', listValues(call.box, 'secret', scopeOf(call)), view),
    ),
    repoRoute(`GET ${path}/{secret_name}`, read, (call) => ok(view(get(call)))),
    repoRoute(`DELETE ${path}/{secret_name}`, write, (call): Reply => {
      removeValue(call.box, 'secret', scopeOf(call), get(call).name)
      return noContent()
    }),
  ]
}

function view({ name, createdAt, updatedAt }: NamedValue) {
  return { name, created_at: createdAt, updated_at: updatedAt }
}

/** Sets a secret of a repository or an environment. Creates the environment if it is missing. */
export function setSecret(
  box: Box,
  repo: RepositoryDocument,
  secret: { readonly name: string; readonly value: string; readonly environment?: string },
): void {
  const { environment } = secret
  const environmentId =
    environment === undefined
      ? null
      : (findEnvironment(box, repo, environment) ?? createEnvironment(box, repo, environment)).id
  putValue(box, 'secret', { repo, environmentId }, secret)
}
