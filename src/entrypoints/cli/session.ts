import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { CampaignConfig, ConfigFile } from '../../config/campaign-config.ts'
import { type HostEnvironment, readEnvironment } from '../../config/environment/environment.ts'
import { CONFIG_FILE, loadConfig } from '../../config/file/load.ts'
import { parseConfig } from '../../config/file/parse.ts'
import { LoreleyError } from '../../errors.ts'
import { createGitEnvironment } from '../../git/command.ts'
import { readCommit } from '../../git/objects/commits.ts'
import { findInTree } from '../../git/objects/trees.ts'
import { findCommit, findWorkTree } from '../../git/repository.ts'
import { type OpenGit, openGit } from '../../store/open-git.ts'
import type { Snapshot } from '../../store/state-store.ts'

/** What every command works with. */
export interface Session {
  /** The top of the work tree, where the config is. */
  readonly folder: string
  readonly git: OpenGit
  readonly host: HostEnvironment
}

/** Opens the repository for one command and closes it afterwards. */
export async function withSession<T>(repo: string, use: (session: Session) => Promise<T>): Promise<T> {
  const folder = await findTop(repo)
  const git = await openGit(folder, createGitEnvironment(process.env))
  try {
    return await use({ folder, git, host: readEnvironment() })
  } finally {
    await git.close()
  }
}

/** The top of the work tree around a folder; the folder itself if there is none. */
export async function findTop(repo: string): Promise<string> {
  const folder = resolve(repo)
  if (!(await isFolder(folder)))
    throw new LoreleyError('usage', `There is no folder ${folder}.`, 'Name a folder with --repo.')
  return (await findWorkTree(folder, createGitEnvironment(process.env))) ?? folder
}

/** False outside a repository, and in a bare one. */
export async function hasWorkTree(repo: string): Promise<boolean> {
  return (await findWorkTree(resolve(repo), createGitEnvironment(process.env))) !== undefined
}

/** The config of the work tree; in a bare repository the committed one. */
export async function loadConfigFile({ folder, git }: Session): Promise<ConfigFile> {
  if (await isFile(join(folder, CONFIG_FILE))) return (await loadConfig(folder)).config
  const head = await findCommit(git.repository, 'HEAD')
  const tree = head === undefined ? undefined : (await readCommit(git.objects, head)).tree
  const entry = tree === undefined ? undefined : await findInTree(git.objects, tree, CONFIG_FILE)
  if (entry === undefined) return (await loadConfig(folder)).config
  return parseConfig((await git.objects.get(entry.id, 'blob')).toString('utf8'), `HEAD:${CONFIG_FILE}`)
}

/** The named campaign; without a name the only one. */
export function pickCampaign({ campaigns }: ConfigFile, name: string | undefined): CampaignConfig {
  const names = [...campaigns.keys()]
  const chosen = name ?? (names.length === 1 ? names[0] : undefined)
  const config = chosen === undefined ? undefined : campaigns.get(chosen)
  if (config !== undefined) return config
  throw unknownCampaign(name, names, CONFIG_FILE)
}

/** A campaign of the state branch; without a name the only one. */
export async function loadCampaign({ git }: Session, name: string | undefined): Promise<Snapshot> {
  const names = await git.store.list()
  const chosen = name ?? (names.length === 1 ? names[0] : undefined)
  const snapshot = chosen === undefined ? undefined : await git.store.load(chosen)
  if (snapshot !== undefined) return snapshot
  throw unknownCampaign(name, names, 'loreley/state')
}

/** The error for an unknown name, or for no name where there are several campaigns. */
export function unknownCampaign(
  name: string | undefined,
  names: readonly string[],
  source: string,
): LoreleyError {
  if (names.length === 0)
    return new LoreleyError('campaign-unknown', `${source} has no campaign.`, 'Start one with `loreley run`.')
  const list = names.join(', ')
  const message =
    name === undefined ? `${source} has several campaigns: ${list}.` : `${source} has no campaign ${name}.`
  return new LoreleyError('campaign-unknown', message, `Name one of: ${list}.`)
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true
}
