import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runGit, tryGit } from '../../../../../git/command.ts'
import type { WorkTree } from './credentials.ts'

/** What to check out, and where. */
export interface CheckoutOptions {
  readonly folder: string
  readonly server: string
  readonly url: string
  /** Empty for the default branch. */
  readonly ref: string
  /** Set when the ref's commit is known. */
  readonly commit: string | undefined
  /** 0 for everything. */
  readonly depth: number
  readonly tags: boolean
  readonly filter: string | undefined
  readonly sparse: readonly string[]
  readonly cone: boolean
}

/** Fetches, checks out and returns the commit. */
export async function checkOut(workTree: WorkTree, options: CheckoutOptions): Promise<string> {
  const git = async (...args: string[]): Promise<string> => {
    const said = await runGit({ args: ['-C', workTree.folder, ...args], environment: workTree.environment })
    return said.toString('utf8').trim()
  }
  const target = findTarget(options, await readRemote(git, options))
  for (const args of fetches(options, target)) await git('fetch', '--no-recurse-submodules', ...args)
  if (options.sparse.length > 0) {
    await git('sparse-checkout', 'set', options.cone ? '--cone' : '--no-cone', ...options.sparse)
  }
  await git('checkout', '--force', ...target.checkout)
  return await git('rev-parse', 'HEAD')
}

/** Asks the server only if the ref is missing, or may be a branch or a tag. */
async function readRemote(
  git: (...args: string[]) => Promise<string>,
  { ref }: CheckoutOptions,
): Promise<string> {
  if (ref === '') return await git('ls-remote', '--symref', 'origin', 'HEAD')
  if (ref.startsWith('refs/')) return ''
  return await git('ls-remote', 'origin', `refs/heads/${ref}`, `refs/tags/${ref}`)
}

function fetches({ depth, tags, filter }: CheckoutOptions, target: Target): string[][] {
  const common = [
    ...(tags ? ['--tags'] : ['--no-tags']),
    ...(filter === undefined ? [] : [`--filter=${filter}`]),
  ]
  if (depth > 0) return [[...common, `--depth=${depth}`, 'origin', target.refspec]]
  const everything = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*']
  // The branch may have moved since the run started, so fetch the run's commit last.
  return [
    [...common, '--prune', 'origin', ...everything],
    [...common, 'origin', target.refspec],
  ]
}

/** What to fetch and check out. */
interface Target {
  readonly refspec: string
  /** Arguments of `git checkout`. */
  readonly checkout: readonly string[]
}

const COMMIT = /^[0-9a-f]{40}$/i

/** Finds the target of a ref. `remote` is the output of `git ls-remote`, if it was needed. */
function findTarget(
  { ref, commit }: { readonly ref: string; readonly commit: string | undefined },
  remote: string,
): Target {
  if (COMMIT.test(ref)) return detached(ref)
  const full = qualify(ref, remote)
  if (full.startsWith('refs/heads/')) {
    const branch = full.slice('refs/heads/'.length)
    const tracking = `refs/remotes/origin/${branch}`
    return { refspec: `+${commit ?? full}:${tracking}`, checkout: ['-B', branch, tracking] }
  }
  // As on GitHub: `refs/pull/7/merge` is kept as `refs/remotes/pull/7/merge`.
  const kept = full.startsWith('refs/pull/') ? full.replace('refs/', 'refs/remotes/') : full
  return { refspec: `+${commit ?? full}:${kept}`, checkout: ['--detach', kept] }
}

function detached(commit: string): Target {
  return { refspec: commit, checkout: ['--detach', commit] }
}

function qualify(ref: string, remote: string): string {
  if (ref.startsWith('refs/')) return ref
  if (ref === '') {
    const head = /^ref: (refs\/heads\/\S+)\s+HEAD$/m.exec(remote)?.[1]
    if (head === undefined) throw new Error('The repository has no default branch.')
    return head
  }
  const names = remote.split('\n').map((line) => line.split('\t')[1])
  const found = [`refs/heads/${ref}`, `refs/tags/${ref}`].find((name) => names.includes(name))
  if (found === undefined) throw new Error(`The repository has no branch or tag "${ref}".`)
  return found
}

/**
 * Makes the folder a repository with this remote. Keeps an earlier checkout of it and removes anything else.
 */
export async function prepareFolder(
  { folder, environment }: WorkTree,
  { url, clean }: { readonly url: string; readonly clean: boolean },
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const remote = await tryGit({
    args: ['config', '--file', join(folder, '.git', 'config'), 'remote.origin.url'],
    environment,
  })
  const git = (...args: string[]) => runGit({ args: ['-C', folder, ...args], environment })
  if (remote.stdout.toString('utf8').trim() === url) {
    if (!clean) return
    await git('clean', '-ffdx')
    await tryGit({ args: ['-C', folder, 'reset', '--hard', 'HEAD'], environment })
    return
  }
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true })
  await git('init', '--quiet')
  await git('remote', 'add', 'origin', url)
}
