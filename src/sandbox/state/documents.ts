import { defineTable } from './store.ts'

export const ROLES = ['read', 'triage', 'write', 'maintain', 'admin'] as const
/** A person's role in a repository. Each includes the ones before it. */
export type Role = (typeof ROLES)[number]

export const LEVELS = ['read', 'write', 'admin'] as const
export type Level = (typeof LEVELS)[number]
/** Permissions of an App, an installation or a token, such as `{ contents: 'write' }`. */
export type Permissions = Readonly<Record<string, Level>>

export interface User {
  readonly id: number
  readonly login: string
  readonly name: string | null
  readonly email: string | null
  readonly type: 'User' | 'Organization' | 'Bot'
  readonly createdAt: string
}

export interface App {
  readonly id: number
  readonly slug: string
  readonly name: string
  readonly description: string | null
  readonly owner: string
  readonly clientId: string
  readonly clientSecret: string
  readonly publicKey: string
  /** Kept, unlike on GitHub, so that a restarted sandbox can show it again. */
  readonly privateKey: string
  readonly webhookUrl: string | null
  readonly webhookSecret: string | null
  readonly permissions: Permissions
  readonly events: readonly string[]
  readonly createdAt: string
}

export interface Installation {
  readonly id: number
  readonly appId: number
  readonly account: string
  readonly permissions: Permissions
  readonly events: readonly string[]
  /** All repositories of the account, or these. */
  readonly repositories: 'all' | readonly number[]
  readonly createdAt: string
  readonly updatedAt: string
  readonly suspendedAt: string | null
  readonly suspendedBy: string | null
}

export interface RepositoryDocument {
  readonly id: number
  readonly owner: string
  readonly name: string
  readonly description: string | null
  readonly homepage: string | null
  readonly private: boolean
  readonly archived: boolean
  readonly defaultBranch: string
  readonly topics: readonly string[]
  readonly features: {
    readonly issues: boolean
    readonly projects: boolean
    readonly wiki: boolean
    readonly discussions: boolean
  }
  readonly merging: {
    readonly merge: boolean
    readonly squash: boolean
    readonly rebase: boolean
    readonly auto: boolean
    readonly deleteBranch: boolean
    readonly updateBranch: boolean
  }
  /** Roles by login. The owner is always an admin. */
  readonly collaborators: Readonly<Record<string, Role>>
  readonly createdAt: string
  readonly updatedAt: string
  readonly pushedAt: string
}

/** A person's token. */
export interface UserToken {
  readonly kind: 'user'
  readonly token: string
  readonly login: string
}

/** A token of an installation. It expires and may be narrowed. Workflow jobs have one of these. */
export interface InstallationToken {
  readonly kind: 'installation'
  readonly token: string
  readonly installationId: number
  readonly permissions: Permissions
  readonly repositories: 'all' | readonly number[]
  readonly expiresAt: string
  /** Set for a workflow job's token, whose actions start no workflows. */
  readonly runId?: number
}

export const users = defineTable<User>('users')
export const apps = defineTable<App>('apps')
export const installations = defineTable<Installation>('installations')
export const repositories = defineTable<RepositoryDocument>('repositories')
export const tokens = defineTable<UserToken | InstallationToken>('tokens')
