import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Repository } from '../git/repository.ts'

/** Where the local host keeps what is not in git. */
export interface LocalFolders {
  /** Shared by all campaigns on this machine. */
  readonly cache: string
  /** Everything of this campaign; `loreley clean` removes it. */
  readonly campaign: string
  readonly preparedRoots: string
  /** Workspaces of running candidates. Every start empties it. */
  readonly workspaces: string
  /** Vectors of files, by blob. */
  readonly vectors: string
  readonly lock: string
}

/**
 * The folders of a campaign. They lie outside the repository: a tool that searches parent folders for a package or a
 * `.git` must not find the user's. The lock lies inside, where every worktree of the repository sees the same one.
 */
export function localFolders(repository: Repository, cacheFolder: string, campaign: string): LocalFolders {
  const key = createHash('sha256').update(repository.commonDir).digest('hex').slice(0, 16)
  const folder = join(cacheFolder, key, campaign)
  return {
    cache: cacheFolder,
    campaign: folder,
    preparedRoots: join(folder, 'roots'),
    workspaces: join(folder, 'work'),
    vectors: join(folder, 'vectors'),
    lock: join(repository.commonDir, 'loreley', `${campaign}.lock`),
  }
}
