import { existsSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import type { EvaluationConfig } from '../config/campaign-config.ts'
import { LoreleyError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import { findIsolation } from '../process/isolation/find-isolation.ts'
import type { Isolation } from '../process/isolation/isolation.ts'
import type { LocalFolders } from './local-folders.ts'

/** What of this machine candidate code is kept from, and where it is tried. */
export interface LocalMachine {
  readonly repository: Repository
  readonly folders: LocalFolders
  /** A folder for the trial, below the cache like the workspaces. */
  readonly trialFolder: string
  readonly home: string
  readonly path: string
}

/** How candidates are kept apart here. */
export type LocalIsolation =
  | { readonly status: 'isolated'; readonly isolation: Isolation }
  /** They are not: because the config accepts that, or for this reason. */
  | { readonly status: 'none'; readonly isolation: undefined; readonly reason: string | undefined }

const LEVELS = { auto: ['namespace', 'user'], namespace: ['namespace'], user: ['user'] } as const

/**
 * Keeps candidates apart where that works: as another user for root, else as ourselves in namespaces. `sudo` is never
 * asked: on somebody's own machine rights that nobody spoke of would surprise. What the config demands by name is
 * given or refused; `auto` takes the best there is, which may be nothing.
 */
export async function isolateLocally(
  machine: LocalMachine,
  { isolation: wanted, network }: Pick<EvaluationConfig, 'isolation' | 'network'>,
): Promise<LocalIsolation> {
  if (wanted === 'none') return { status: 'none', isolation: undefined, reason: undefined }
  const { path, trialFolder } = machine
  const search = await findIsolation({
    levels: LEVELS[wanted],
    network,
    hidden: foldersToHide(machine),
    // Names are looked up there; the file in /etc is only a link to it.
    readOnly: network === 'host' ? ['/run/systemd/resolve'] : [],
    unprivileged: 'own-user',
    entered: path.split(':').filter((folder) => isAbsolute(folder) && existsSync(folder)),
    place: trialFolder,
    path,
  })
  if (search.status === 'found') return { status: 'isolated', isolation: search.isolation }
  if (wanted === 'auto') return { status: 'none', isolation: undefined, reason: search.detail }
  throw new LoreleyError(
    'isolation-unavailable',
    `This machine cannot keep candidate code apart as evaluation.isolation: ${wanted} asks: ${search.detail}`,
    'Use Linux, as root or with user namespaces allowed; `auto` takes what there is, `none` does without.',
  )
}

// Everybody's keys, the repository with what is held out, other candidates. A hidden folder that a tool's folder
// brings back into sight is hidden again inside of it, and so are its keys.
function foldersToHide({ repository, folders, home }: LocalMachine): string[] {
  const { folder, commonDir } = repository
  const checkout = basename(commonDir) === '.git' ? [dirname(commonDir)] : []
  const keys = ['.cargo/credentials', '.cargo/credentials.toml'].map((name) => join(home, name))
  const hidden = ['/tmp', '/var/tmp', '/dev/shm', home, folder, commonDir, ...checkout, folders.cache]
  return [...new Set(hidden), ...keys].filter((path) => isAbsolute(path) && path !== '/')
}

/** What a person is told whose machine cannot keep candidates apart. */
export function renderUnisolated(reason: string): string {
  return `Candidate code runs as you and could read or change your files: it cannot be kept apart here (${reason}). \`evaluation.isolation: none\` accepts that in silence.`
}
