import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Repository } from '../git/repository.ts'

/** Where the local host keeps what is not in git. */
export interface Places {
  /** What all campaigns of this machine have in common. */
  readonly cache: string
  /** Everything of this campaign; `loreley clean` removes it. */
  readonly campaign: string
  readonly workshops: string
  /** Folders of candidates under way. Nothing in it survives a start. */
  readonly work: string
  /** Vectors of files, by blob. */
  readonly vectors: string
  readonly lock: string
}

/**
 * The folders of a campaign. They are outside the repository, or tools that look upwards for a package or a
 * `.git` would find the user's. The lock is inside, where every worktree of the repository sees the same one.
 */
export function placesOf(repository: Repository, cacheFolder: string, campaign: string): Places {
  const key = createHash('sha256').update(repository.commonDir).digest('hex').slice(0, 16)
  const place = join(cacheFolder, key, campaign)
  return {
    cache: cacheFolder,
    campaign: place,
    workshops: join(place, 'workshops'),
    work: join(place, 'work'),
    vectors: join(place, 'vectors'),
    lock: join(repository.commonDir, 'loreley', `${campaign}.lock`),
  }
}
