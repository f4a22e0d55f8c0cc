import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { install } from './apps/installation-routes.ts'
import type { Box } from './box.ts'
import { isoTime } from './format.ts'
import { createRepository } from './repos/repository-routes.ts'
import { type App, apps, type Permissions, type Role, tokens, type User, users } from './state/documents.ts'
import { getUser } from './state/lookups.ts'

export interface SeedUser {
  readonly login: string
  /** The role in every seeded repository. A stranger has none. */
  readonly role?: Role
}

export interface SeedApp {
  readonly slug: string
  readonly permissions: Permissions
  readonly events?: readonly string[]
  readonly webhookUrl?: string
  readonly webhookSecret?: string
  /** PEM. Generated if missing. */
  readonly privateKey?: string
}

export interface SeedRepository {
  readonly name: string
  readonly private?: boolean
  readonly files?: Readonly<Record<string, string>>
}

/** The initial content of a sandbox. */
export interface Seed {
  /** The organisation that owns the repositories and Apps. */
  readonly owner?: string
  readonly users?: readonly SeedUser[]
  readonly repositories?: readonly SeedRepository[]
  /** Installed on all repositories of the owner. */
  readonly apps?: readonly SeedApp[]
}

/** One person for each role. */
const SEED_USERS: readonly SeedUser[] = [
  { login: 'olivia', role: 'admin' },
  { login: 'wendy', role: 'write' },
  { login: 'tariq', role: 'triage' },
  { login: 'rita', role: 'read' },
  { login: 'sam' },
]

/** Fills an empty sandbox. */
export async function fillBox(box: Box, seed: Seed): Promise<void> {
  const owner = addUser(box, seed.owner ?? 'acme', 'Organization')
  const people = seed.users ?? SEED_USERS
  for (const { login } of people) addUserToken(box, addUser(box, login, 'User'))
  const roles = people.flatMap(({ login, role }) => (role === undefined ? [] : [[login, role] as const]))
  const sender = getUser(box.store, people[0]?.login ?? owner.login)
  for (const repository of seed.repositories ?? []) {
    await createRepository(box, {
      ...repository,
      owner: owner.login,
      collaborators: Object.fromEntries(roles),
      sender,
    })
  }
  for (const draft of seed.apps ?? []) {
    const app = addApp(box, owner.login, draft)
    await install(box, { appId: app.id, account: owner.login, repositories: 'all', sender })
  }
}

export function addUser(box: Box, login: string, type: User['type']): User {
  const id = box.store.next('users') + 1000
  return users(box.store).put(login.toLowerCase(), {
    id,
    login,
    name: type === 'User' ? `${login.slice(0, 1).toUpperCase()}${login.slice(1)}` : null,
    email: type === 'User' ? `${login}@example.com` : null,
    type,
    createdAt: isoTime(box.now()),
  })
}

function addUserToken(box: Box, user: User): void {
  const token = `ghp_${randomBytes(18).toString('hex')}`
  tokens(box.store).put(token, { kind: 'user', token, login: user.login })
}

/** Registers an App and its bot user. */
export function addApp(box: Box, owner: string, draft: SeedApp): App {
  const id = box.store.next('apps') + 100
  const privateKey = draft.privateKey ?? createPrivateKey()
  addUser(box, `${draft.slug}[bot]`, 'Bot')
  return apps(box.store).put(id, {
    id,
    slug: draft.slug,
    name: draft.slug,
    description: null,
    owner,
    clientId: `Iv23li${randomBytes(7).toString('hex')}`,
    clientSecret: randomBytes(20).toString('hex'),
    privateKey,
    publicKey: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString(),
    webhookUrl: draft.webhookUrl ?? null,
    webhookSecret: draft.webhookSecret ?? null,
    permissions: draft.permissions,
    events: draft.events ?? [],
    createdAt: isoTime(box.now()),
  })
}

function createPrivateKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
