import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import pc from 'picocolors'
import { LoreleyError } from '../../../errors.ts'
import { DEMO_SEED } from '../../../sandbox/demo-seed.ts'
import { type RunningBox, startBox } from '../../../sandbox/server.ts'
import { repositories } from '../../../sandbox/state/documents.ts'

export interface SandboxOptions {
  readonly port: number
  readonly folder?: string
  readonly json?: true
  /** False leaves workflow runs queued. */
  readonly runner: boolean
  readonly parallel: number
  /** Local folders for actions, by `owner/repo` or `owner/repo@ref`. */
  readonly action: Readonly<Record<string, string>>
}

/** `loreley sandbox`: a GitHub on this machine, until Ctrl-C. */
export async function sandbox(options: SandboxOptions): Promise<void> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'loreley-sandbox-')))
  // Listen from now on: somebody may press Ctrl-C after the first line, and the folder must still be removed.
  const stopped = interrupted()
  try {
    const box = await start(options, resolve(folder))
    const facts = await describe(box, resolve(folder))
    console.log(options.json ? JSON.stringify(facts) : render(facts, options.folder !== undefined))
    await stopped
    await box.close()
  } finally {
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true })
  }
}

async function start({ port, parallel, ...options }: SandboxOptions, folder: string): Promise<RunningBox> {
  const runner = { path: process.env.PATH ?? '', parallel }
  try {
    return await startBox({
      folder,
      port,
      environment: process.env,
      seed: DEMO_SEED,
      settings: { actionFolders: options.action },
      ...(options.runner ? { runner } : {}),
    })
  } catch (error) {
    if (!isPortTaken(error)) throw error
    const hint = 'Choose another one with --port, or 0 for a free one.'
    throw new LoreleyError('usage', `Port ${port} is in use or not allowed.`, hint, error)
  }
}

function isPortTaken(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EADDRINUSE' || code === 'EACCES'
}

interface Facts {
  readonly url: string
  readonly apiUrl: string
  readonly folder: string
  readonly repositories: readonly string[]
  readonly users: readonly { readonly login: string; readonly role: string; readonly token: string }[]
  readonly apps: readonly { readonly id: number; readonly slug: string; readonly keyFile: string }[]
}

async function describe(box: RunningBox, folder: string): Promise<Facts> {
  const all = repositories(box.box.store).all()
  const roleOf = (login: string): string => all[0]?.collaborators[login] ?? 'none'
  const apps = box.apps.map(({ id, slug, privateKey }) => ({
    id,
    slug,
    keyFile: join(folder, `${slug}.pem`),
    privateKey,
  }))
  for (const app of apps) await writeFile(app.keyFile, app.privateKey, { mode: 0o600 })
  return {
    url: box.url,
    apiUrl: box.apiUrl,
    folder,
    repositories: all.map(({ owner, name }) => `${owner}/${name}`),
    users: box.users.map(({ login, token }) => ({ login, role: roleOf(login), token })),
    apps: apps.map(({ id, slug, keyFile }) => ({ id, slug, keyFile })),
  }
}

function render(facts: Facts, isKept: boolean): string {
  const [repository = ''] = facts.repositories
  const writer = facts.users.find((user) => user.role === 'write') ?? facts.users[0]
  return [
    `${pc.bold('GitHub sandbox')}  ${facts.url}`,
    `API             ${facts.apiUrl}`,
    `State           ${facts.folder}${isKept ? '' : ' (temporary; keep it with --folder)'}`,
    '',
    ...facts.users.map(({ login, role, token }) => `${login.padEnd(8)} ${role.padEnd(7)} ${token}`),
    '',
    ...facts.apps.map(({ id, slug, keyFile }) => `App ${slug}, id ${id}, key ${keyFile}`),
    '',
    `git clone ${facts.url}/${repository}.git`,
    `curl -H "Authorization: Bearer ${writer?.token}" ${facts.apiUrl}/repos/${repository}`,
    '',
    'Ctrl-C stops it.',
  ].join('\n')
}

async function interrupted(): Promise<void> {
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
}
