import { runGit } from '../../../../../git/command.ts'
import type { Place } from './credentials.ts'
import { findTarget, type Target } from './targets.ts'

/** What is to be checked out, and where. */
export interface Wish {
  readonly folder: string
  readonly server: string
  readonly url: string
  /** Empty for the default branch. */
  readonly ref: string
  /** Set when it is known which commit the ref stands for. */
  readonly commit: string | undefined
  /** 0 for everything. */
  readonly depth: number
  readonly tags: boolean
  readonly filter: string | undefined
  readonly sparse: readonly string[]
  readonly cone: boolean
}

/** Fetches and checks out; gives the commit. */
export async function checkOut(place: Place, wish: Wish): Promise<string> {
  const git = async (...args: string[]): Promise<string> => {
    const said = await runGit({ args: ['-C', place.folder, ...args], environment: place.environment })
    return said.toString('utf8').trim()
  }
  const target = findTarget(wish, await readRemote(git, wish))
  for (const args of fetches(wish, target)) await git('fetch', '--no-recurse-submodules', ...args)
  if (wish.sparse.length > 0) {
    await git('sparse-checkout', 'set', wish.cone ? '--cone' : '--no-cone', ...wish.sparse)
  }
  await git('checkout', '--force', ...target.checkout)
  return await git('rev-parse', 'HEAD')
}

/** Asks the server only where a name may be a branch or a tag, or where none was given. */
async function readRemote(git: (...args: string[]) => Promise<string>, { ref }: Wish): Promise<string> {
  if (ref === '') return await git('ls-remote', '--symref', 'origin', 'HEAD')
  if (ref.startsWith('refs/')) return ''
  return await git('ls-remote', 'origin', `refs/heads/${ref}`, `refs/tags/${ref}`)
}

function fetches({ depth, tags, filter }: Wish, target: Target): string[][] {
  const common = [
    ...(tags ? ['--tags'] : ['--no-tags']),
    ...(filter === undefined ? [] : [`--filter=${filter}`]),
  ]
  if (depth > 0) return [[...common, `--depth=${depth}`, 'origin', target.refspec]]
  const everything = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*']
  // A branch may have moved since the run began: what the run is of comes last.
  return [
    [...common, '--prune', 'origin', ...everything],
    [...common, 'origin', target.refspec],
  ]
}
