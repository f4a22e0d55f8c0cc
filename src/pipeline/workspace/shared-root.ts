import { createHash, randomUUID } from 'node:crypto'
import { access, mkdir, readdir, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LoreleyError } from '../../errors.ts'
import { writeFilesTo } from '../../git/checkout.ts'
import type { ObjectStore } from '../../git/objects/object-store.ts'
import { findDifferences } from '../../git/staging.ts'
import { removeFolder } from '../../process/disk/remove-folder.ts'
import type { Isolation } from '../../process/isolation/isolation.ts'
import type { PreparedRoot } from './prepared-root.ts'
import { removePaths } from './withheld.ts'
import { copyFolder } from './workspace.ts'

export interface ShareOptions {
  /** Paths that are not in it: what the run must not see, and what its command is to write. */
  readonly absent: readonly string[]
  readonly path: string
  readonly owner: string
  readonly isolation: Isolation | undefined
}

const underWay = new Map<string, Promise<void>>()

/**
 * A folder with the root's files and what the set-up made, such as `node_modules`. Candidates in isolation share it, and
 * none can change it. Made once; undefined where a workspace must be a copy.
 */
export async function findSharedRoot(
  preparedRoot: PreparedRoot,
  options: ShareOptions,
): Promise<string | undefined> {
  const { isolation, absent } = options
  if (isolation?.sharesLayers !== true) return undefined
  const key = createHash('sha256')
    .update(JSON.stringify([isolation.user, absent]))
    .digest('hex')
  const folder = join(dirname(preparedRoot.template), `shared-${key.slice(0, 16)}`)
  if (await isThere(folder)) return folder
  const made = underWay.get(folder) ?? makeShared(preparedRoot, { ...options, isolation }, folder)
  underWay.set(folder, made)
  await made.finally(() => underWay.delete(folder))
  return folder
}

async function makeShared(
  { template, area, rootTree }: PreparedRoot,
  { absent, path, owner, isolation }: ShareOptions & { readonly isolation: Isolation },
  folder: string,
): Promise<void> {
  const draft = `${folder}-draft`
  await isolation.remove(draft)
  await mkdir(draft)
  await copyFolder({ from: template, to: draft, path, owner })
  await removePaths(draft, absent)
  const indexFile = `${folder}-index`
  const [different] = await findDifferences(area, { files: draft, indexFile, withheld: absent }, rootTree)
  await removeFolder(indexFile)
  if (different !== undefined) throw differsFromTree(different)
  await isolation.give(draft)
  await rename(draft, folder)
}

/** Removes the shared folders of a root: its own user cannot, where `sudo` gave them to another. */
export async function removeSharedRoots({ template }: PreparedRoot, isolation: Isolation): Promise<void> {
  const names = await readdir(dirname(template))
  const shared = names.filter((name) => name.startsWith('shared-'))
  for (const name of shared) await isolation.remove(join(dirname(template), name))
}

/** The root's files in git, without what the set-up made: all that an agent without programs needs. Made once. */
export async function findTrackedRoot(
  { template, area, rootFiles }: PreparedRoot,
  objects: ObjectStore,
): Promise<string> {
  const products = await readFile(join(area.folder, 'info', 'exclude'), 'utf8')
  if (products === '') return template
  const folder = join(dirname(template), 'tracked')
  if (await isThere(folder)) return folder
  const draft = `${folder}-${randomUUID()}`
  await mkdir(draft)
  const files = rootFiles.map(({ pathBytes, mode, blob }) => ({ pathBytes, version: { mode, blob } }))
  await writeFilesTo(draft, files, objects)
  // Another candidate may have made it meanwhile.
  await rename(draft, folder).catch(() => removeFolder(draft))
  return folder
}

/** The fault of a set-up that changes what is measured. */
export function differsFromTree(path: string): LoreleyError {
  return new LoreleyError(
    'evaluator-setup-failed',
    `The workspace differs from the proposed files at ${path}.`,
    'evaluation.setup must not replace a tracked folder with a link, which would lead every candidate elsewhere.',
  )
}

async function isThere(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  )
}
