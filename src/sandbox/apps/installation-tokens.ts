import { randomBytes } from 'node:crypto'
import { grants } from '../access/permissions.ts'
import type { Box, Call, Family } from '../box.ts'
import { isoTime } from '../format.ts'
import { ApiError } from '../http/errors.ts'
import { created, noContent, type Reply } from '../http/reply.ts'
import { route } from '../http/route.ts'
import { repositoryView } from '../repos/repository-view.ts'
import {
  type Installation,
  type InstallationToken,
  LEVELS,
  type Permissions,
  type RepositoryDocument,
  tokens,
} from '../state/documents.ts'
import { repositoriesOf } from '../state/lookups.ts'
import { ownInstallation } from './installation-routes.ts'

/** Installation tokens. */
export const installationTokensFamily: Family = {
  routes: [
    route('POST /app/installations/{installation_id}/access_tokens', 'app', createToken),
    route('DELETE /installation/token', 'installation', revokeToken),
  ],
}

const TOKEN_LIFE_MS = 3_600_000

/** Issues an installation token. A workflow job's token carries its run's id and the job's permissions. */
export function issueToken(
  box: Box,
  draft: Omit<InstallationToken, 'kind' | 'token' | 'expiresAt'> & { readonly lifeMs?: number },
): InstallationToken {
  const { lifeMs = TOKEN_LIFE_MS, ...rest } = draft
  const token = `ghs_${randomBytes(27).toString('base64url').replaceAll(/[-_]/g, '0')}`
  const expiresAt = isoTime(new Date(box.now().getTime() + lifeMs))
  const issued: InstallationToken = { kind: 'installation', token, expiresAt, ...rest }
  tokens(box.store).put(token, issued)
  return issued
}

function createToken(call: Call): Reply {
  const installation = ownInstallation(call)
  if (installation.suspendedAt !== null) throw new ApiError(403, 'This installation has been suspended')
  const permissions = narrowPermissions(call, installation)
  const chosen = narrowRepositories(call, installation)
  const token = issueToken(call.box, {
    installationId: installation.id,
    permissions,
    repositories: chosen === undefined ? installation.repositories : chosen.map((repo) => repo.id),
  })
  return created({
    token: token.token,
    expires_at: token.expiresAt,
    permissions,
    repository_selection: chosen === undefined && installation.repositories === 'all' ? 'all' : 'selected',
    ...(chosen === undefined ? {} : { repositories: chosen.map((repo) => repositoryView(call.box, repo)) }),
  })
}

// A token never has more permissions than its installation.
function narrowPermissions(call: Call, installation: Installation): Permissions {
  const asked = call.body.findObject('permissions')
  if (asked === undefined) return installation.permissions
  const entries = Object.entries(asked.toJson()).map(([name, value]) => {
    const level = LEVELS.find((one) => one === value)
    if (level === undefined || !grants(installation.permissions, { [name]: level })) {
      throw new ApiError(422, 'The permissions requested are not granted to this installation.')
    }
    return [name, level] as const
  })
  return Object.fromEntries(entries)
}

function narrowRepositories(call: Call, installation: Installation): RepositoryDocument[] | undefined {
  const names = call.body.findTexts('repositories')
  const ids = call.body.has('repository_ids') ? numbers(call.body.raw('repository_ids')) : undefined
  if (names === undefined && ids === undefined) return undefined
  const covered = repositoriesOf(call.box.store, installation)
  const chosen = covered.filter((repo) => names?.includes(repo.name) || ids?.includes(repo.id))
  if (chosen.length < new Set([...(names ?? []), ...(ids ?? [])]).size) {
    throw new ApiError(
      422,
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    )
  }
  return chosen
}

function numbers(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'number') : []
}

function revokeToken(call: Call): Reply {
  if (call.actor.kind === 'installation') tokens(call.box.store).remove(call.actor.token.token)
  return noContent()
}
