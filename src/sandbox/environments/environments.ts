import type { Box } from '../box.ts'
import { matchesPattern } from '../rules/patterns.ts'
import { rulesetsFor } from '../rules/rulesets.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import { defineTable } from '../state/store.ts'

export interface BranchPolicy {
  readonly id: number
  readonly name: string
  readonly type: 'branch' | 'tag'
}

/** A deployment target that jobs name with `environment`. It has its own secrets. */
export interface Environment {
  readonly id: number
  readonly repositoryId: number
  readonly name: string
  readonly waitTimer: number
  readonly preventSelfReview: boolean
  /** Ids of users. */
  readonly reviewers: readonly number[]
  /** Which refs may use it: all, those with rules, or those that match `policies`. */
  readonly refs: 'all' | 'protected' | 'policies'
  readonly policies: readonly BranchPolicy[]
  readonly createdAt: string
  readonly updatedAt: string
}

export const environments = defineTable<Environment>('environments')

export function environmentsOf(box: Box, repo: RepositoryDocument): Environment[] {
  return environments(box.store)
    .all()
    .filter((environment) => environment.repositoryId === repo.id)
}

/** Finds an environment by its case-insensitive name. */
export function findEnvironment(box: Box, repo: RepositoryDocument, name: string): Environment | undefined {
  return environmentsOf(box, repo).find((one) => one.name.toLowerCase() === name.toLowerCase())
}

/** True when a run on this ref may use the environment. */
export function mayUseEnvironment(
  box: Box,
  repo: RepositoryDocument,
  environment: Environment,
  ref: string,
): boolean {
  if (environment.refs === 'all') return true
  if (environment.refs === 'protected') return rulesetsFor(box, repo, ref).length > 0
  const name = ref.replace(/^refs\/(heads|tags)\//, '')
  const type = ref.startsWith('refs/tags/') ? 'tag' : 'branch'
  return environment.policies.some((policy) => policy.type === type && matchesPattern(policy.name, name))
}
