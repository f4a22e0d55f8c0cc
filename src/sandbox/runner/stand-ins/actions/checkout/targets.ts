/** What to fetch, and what to check out of it. */
export interface Target {
  readonly refspec: string
  /** Arguments of `git checkout`. */
  readonly checkout: readonly string[]
}

const COMMIT = /^[0-9a-f]{40}$/i

/** Finds the target of a ref. `remote` is what `git ls-remote` said of it, where it had to be asked. */
export function findTarget(
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
