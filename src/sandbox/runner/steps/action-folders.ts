import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * A step's `uses: owner/repo/path@ref`. Local actions (`./…`) and `docker://…` are not references of this kind.
 */
export interface ActionReference {
  readonly owner: string
  readonly repo: string
  /** The path inside the repository. Empty for its root. */
  readonly path: string
  readonly ref: string
}

/**
 * Our replacements for well-known actions: `stand-ins/<owner>/<repo>/<path>/action.yml`, for every ref. The
 * build bundles them, so the sources use those in dist too.
 */
const STAND_INS = fileURLToPath(new URL('../../../../dist/sandbox/runner/stand-ins', import.meta.url))

/** Parses `owner/repo@ref` or `owner/repo/path@ref`. Undefined for anything else. */
export function parseActionReference(uses: string): ActionReference | undefined {
  const [, owner, repo, path = '', ref] = /^([^/@\s]+)\/([^/@\s]+)(?:\/([^@\s]+))?@(\S+)$/.exec(uses) ?? []
  if (owner === undefined || repo === undefined || ref === undefined) return undefined
  return owner === '.' || owner === '..' ? undefined : { owner, repo, path, ref }
}

/**
 * The folder that the settings map an action to. Keys are `owner/repo@ref` or `owner/repo` (any ref) and
 * case-insensitive; the more exact one wins. The folder holds the whole repository, in which `path` is looked
 * up.
 */
export function findMappedFolder(
  reference: ActionReference,
  actionFolders: Readonly<Record<string, string>>,
): string | undefined {
  const name = `${reference.owner}/${reference.repo}`
  for (const wanted of [`${name}@${reference.ref}`, name]) {
    const found = Object.entries(actionFolders).find(([key]) => key.toLowerCase() === wanted.toLowerCase())
    if (found !== undefined) return join(found[1], reference.path)
  }
  return undefined
}

/** The folder of our stand-in for an action, whatever its ref, or undefined. */
export function findStandIn({ owner, repo, path }: ActionReference): string | undefined {
  const folder = join(STAND_INS, owner.toLowerCase(), repo.toLowerCase(), path)
  return folder.startsWith(STAND_INS) && existsSync(join(folder, 'action.yml')) ? folder : undefined
}
