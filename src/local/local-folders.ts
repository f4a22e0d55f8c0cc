import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Repository } from '../git/repository.ts'

/** Where the local host keeps what is not in git. */
export interface LocalFolders {
  /** What all campaigns of this machine have in common. */
  readonly cache: string
  /** Everything of this campaign; `loreley clean` removes it. */
  readonly campaign: string
  readonly preparedRoots: string
  /** Folders of candidates under way. Nothing in it survives a start. */
  readonly workspaces: string
  /** Vectors of files, by blob. */
  readonly vectors: string
  readonly lock: string
}

/**
 * The folders of a campaign. They are outside the repository, or tools that look upwards for a package or a
 * `.git` would find the user's. The lock is inside, where every worktree of the repository sees the same one.
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
