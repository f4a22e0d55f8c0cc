import { generateKeyPairSync } from 'node:crypto'
import { install } from '../apps/installation-routes.ts'
import { issueToken } from '../apps/installation-tokens.ts'
import type { Box } from '../box.ts'
import { isoTime } from '../format.ts'
import { addUser } from '../seed.ts'
import {
  type App,
  apps,
  type InstallationToken,
  installations,
  type Permissions,
  type RepositoryDocument,
} from '../state/documents.ts'
import { getUser } from '../state/lookups.ts'

/** GitHub's own number for it. */
const ACTIONS_APP_ID = 15_368

/** The App that workflows act as, `github-actions[bot]`. Created on first use. */
export function actionsApp(box: Box): App {
  const known = apps(box.store).find(ACTIONS_APP_ID)
  if (known !== undefined) return known
  addUser(box, 'github-actions[bot]', 'Bot')
  // Nobody signs as this App, and a short key is quick to make.
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 1024,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  return apps(box.store).put(ACTIONS_APP_ID, {
    id: ACTIONS_APP_ID,
    slug: 'github-actions',
    name: 'GitHub Actions',
    description: 'Automate your workflow from idea to production',
    owner: 'github',
    clientId: 'Iv1.05c79e9ad1f6bdfa',
    clientSecret: '',
    privateKey,
    publicKey,
    webhookUrl: null,
    webhookSecret: null,
    // Each job's token has its own permissions.
    permissions: {},
    events: [],
    createdAt: isoTime(box.now()),
  })
}

/** Issues a job's token: for one repository, with the job's permissions. Its actions start no workflows. */
export async function issueJobToken(
  box: Box,
  repo: RepositoryDocument,
  job: { readonly runId: number; readonly permissions: Permissions; readonly lifeMs?: number },
): Promise<InstallationToken> {
  const app = actionsApp(box)
  const known = installations(box.store)
    .all()
    .find(({ appId, account }) => appId === app.id && account === repo.owner)
  const sender = getUser(box.store, repo.owner)
  const installation =
    known ?? (await install(box, { appId: app.id, account: repo.owner, repositories: 'all', sender }))
  return issueToken(box, { ...job, installationId: installation.id, repositories: [repo.id] })
}
