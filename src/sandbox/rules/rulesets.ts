import type { Box } from '../box.ts'
import type { Mover } from '../git/ref-move.ts'
import type { RepositoryDocument, Role } from '../state/documents.ts'
import { hasRole } from '../state/lookups.ts'
import { defineTable } from '../state/store.ts'
import { matchesPattern } from './patterns.ts'

export interface Rule {
  readonly type: string
  readonly parameters?: Readonly<Record<string, unknown>>
}

export interface BypassActor {
  readonly actor_id: number | null
  readonly actor_type: string
  readonly bypass_mode: string
}

/** Rules for the branches or tags that match its conditions. */
export interface Ruleset {
  readonly id: number
  readonly repositoryId: number
  readonly name: string
  readonly target: string
  readonly enforcement: string
  readonly bypassActors: readonly BypassActor[]
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly rules: readonly Rule[]
  readonly createdAt: string
  readonly updatedAt: string
}

export const rulesets = defineTable<Ruleset>('rulesets')

export function rulesetsOf(box: Box, repo: RepositoryDocument): Ruleset[] {
  return rulesets(box.store)
    .all()
    .filter((ruleset) => ruleset.repositoryId === repo.id)
}

// Push rulesets are stored and shown but not enforced: the sandbox does not inspect pushed files.
const FOLDERS: Readonly<Record<string, string>> = { branch: 'refs/heads/', tag: 'refs/tags/' }

/** The active rulesets for a full ref name. The ref need not exist. */
export function rulesetsFor(box: Box, repo: RepositoryDocument, ref: string): Ruleset[] {
  const matches = (pattern: string): boolean => {
    if (pattern === '~ALL') return true
    if (pattern === '~DEFAULT_BRANCH') return ref === `refs/heads/${repo.defaultBranch}`
    return matchesPattern(pattern, ref)
  }
  return rulesetsOf(box, repo).filter(({ enforcement, target, include, exclude }) => {
    const folder = FOLDERS[target]
    if (enforcement !== 'active' || folder === undefined || !ref.startsWith(folder)) return false
    return include.some(matches) && !exclude.some(matches)
  })
}

// The ids of the built-in roles in GitHub's API.
const ROLE_IDS: Readonly<Record<number, Role>> = { 2: 'maintain', 4: 'write', 5: 'admin' }

/** Whether somebody may bypass a ruleset. */
export function bypassOf(
  repo: RepositoryDocument,
  ruleset: Ruleset,
  mover: Pick<Mover, 'sender' | 'appId'>,
): 'always' | 'pull_requests_only' | 'never' {
  const modes = ruleset.bypassActors.filter((actor) => isActor(repo, actor, mover))
  if (modes.some(({ bypass_mode }) => bypass_mode !== 'pull_request')) return 'always'
  return modes.length > 0 ? 'pull_requests_only' : 'never'
}

function isActor(
  repo: RepositoryDocument,
  { actor_id, actor_type }: BypassActor,
  { sender, appId }: Pick<Mover, 'sender' | 'appId'>,
): boolean {
  if (actor_type === 'Integration') return appId !== undefined && actor_id === appId
  // An App is not its bot user: it has no role of its own.
  if (appId !== undefined) return false
  if (actor_type === 'User') return actor_id === sender.id
  // Organisations have no members here. The repository's admins count as owners.
  if (actor_type === 'OrganizationAdmin') return hasRole(repo, sender.login, 'admin')
  const role = actor_type === 'RepositoryRole' ? ROLE_IDS[actor_id ?? 0] : undefined
  return role !== undefined && hasRole(repo, sender.login, role)
}
