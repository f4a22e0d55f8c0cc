import * as z from 'zod'
import { LoreleyError } from '../../errors.ts'
import type { TreeFile } from '../../store/object-ids.ts'
import { Recent } from '../api/recent.ts'
import type { RepositoryApi } from '../api/repository-api.ts'

type Listing = ReadonlyMap<string, TreeFile>

/** The mode of a folder in GitHub's API. */
export const FOLDER_MODE = '040000'

const KEPT_ENTRIES = 400_000
const MAX_LISTED_FOLDERS = 2000

const treeAnswer = z.object({
  truncated: z.boolean(),
  tree: z.array(z.object({ path: z.string(), mode: z.string(), sha: z.string() })),
})

/** Reads paths of trees. Each tree is listed once; one too large to list is walked. */
export class BaseTrees {
  readonly #api: RepositoryApi
  readonly #whole = new Recent<Listing>(KEPT_ENTRIES, (listing) => listing.size + 1)
  readonly #folders = new Recent<Listing>(KEPT_ENTRIES, (listing) => listing.size + 1)
  readonly #tooLarge = new Recent<true>(1000)

  constructor(api: RepositoryApi) {
    this.#api = api
  }

  /** The entries at these paths, as far as they exist. */
  async find(tree: string, paths: readonly string[]): Promise<Map<string, TreeFile>> {
    const listing = await this.#list(tree)
    const found = new Map<string, TreeFile>()
    for (const path of paths) {
      const file = listing === undefined ? await this.#walk(tree, path) : listing.get(path)
      if (file !== undefined) found.set(path, file)
    }
    return found
  }

  /** All files of a tree; one too large to list is listed folder by folder. */
  async files(tree: string): Promise<readonly (TreeFile & { path: string })[]> {
    const files: (TreeFile & { path: string })[] = []
    const folders = [{ prefix: '', id: tree }]
    for (let at = 0, folder = folders[0]; folder !== undefined; folder = folders[++at]) {
      if (at >= MAX_LISTED_FOLDERS) throw tooDeep(tree)
      const { prefix, id } = folder
      const whole = await this.#list(id)
      for (const [name, file] of whole ?? (await this.#listFolder(id))) {
        const path = `${prefix}${name}`
        if (file.mode !== FOLDER_MODE) files.push({ path, ...file })
        else if (whole === undefined) folders.push({ prefix: `${path}/`, id: file.id })
      }
    }
    return files
  }

  /** All files of a tree; if it is too large to list, those in the folders above the given paths. */
  async filesNear(tree: string, paths: readonly string[]): Promise<readonly (TreeFile & { path: string })[]> {
    const listing = (await this.#list(tree)) ?? (await this.#listNear(tree, paths))
    return [...listing].flatMap(([path, file]) => (file.mode === FOLDER_MODE ? [] : [{ path, ...file }]))
  }

  async #listNear(tree: string, paths: readonly string[]): Promise<Listing> {
    const near = new Map<string, TreeFile>()
    for (const folder of new Set(paths.flatMap((path) => ['', ...foldersAbove(path)]))) {
      const there = folder === '' ? { mode: FOLDER_MODE, id: tree } : await this.#walk(tree, folder)
      if (there?.mode !== FOLDER_MODE) continue
      const prefix = folder === '' ? '' : `${folder}/`
      for (const [name, file] of await this.#listFolder(there.id)) near.set(`${prefix}${name}`, file)
    }
    return near
  }

  /** Records a tree derived from a listed one, which saves listing it. */
  derive(base: string, tree: string, edits: ReadonlyMap<string, TreeFile | undefined>): void {
    const listing = this.#whole.get(base)
    if (listing === undefined) {
      if (this.#tooLarge.get(base) === true) this.#tooLarge.set(tree, true)
      return
    }
    const next = new Map(listing)
    for (const [path, file] of edits) {
      if (file === undefined) next.delete(path)
      else next.set(path, file)
    }
    this.#whole.set(tree, next)
  }

  async #list(tree: string): Promise<Listing | undefined> {
    if (this.#tooLarge.get(tree) === true) return undefined
    const known = this.#whole.get(tree)
    if (known !== undefined) return known
    const { truncated, listing } = await this.#fetch(tree, { recursive: 'true' })
    if (truncated) this.#tooLarge.set(tree, true)
    else this.#whole.set(tree, listing)
    return truncated ? undefined : listing
  }

  async #walk(tree: string, path: string): Promise<TreeFile | undefined> {
    let file: TreeFile | undefined = { mode: FOLDER_MODE, id: tree }
    for (const name of path.split('/')) {
      if (file?.mode !== FOLDER_MODE) return undefined
      file = (await this.#listFolder(file.id)).get(name)
    }
    return file
  }

  async #listFolder(folder: string): Promise<Listing> {
    const known = this.#folders.get(folder)
    if (known !== undefined) return known
    const { truncated, listing } = await this.#fetch(folder, {})
    if (truncated) throw tooWide(folder)
    this.#folders.set(folder, listing)
    return listing
  }

  async #fetch(tree: string, more: object): Promise<{ truncated: boolean; listing: Listing }> {
    const answer = await this.#api.get({
      route: 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}',
      parameters: { tree_sha: tree, ...more },
      answer: treeAnswer,
      priority: 'state',
    })
    const listing = new Map(answer.tree.map(({ path, mode, sha }) => [path, { mode, id: sha }]))
    return { truncated: answer.truncated, listing }
  }
}

/** The folders above a path, outermost first. */
export function foldersAbove(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

function tooDeep(tree: string): LoreleyError {
  return new LoreleyError(
    'github-refused',
    `GitHub truncates the listing of tree ${tree}, and listing its folders would take more than ${MAX_LISTED_FOLDERS} requests.`,
    'Use a smaller repository, or run the campaign on your own machine with `loreley run`.',
  )
}

function tooWide(folder: string): LoreleyError {
  return new LoreleyError(
    'github-refused',
    `GitHub truncates the listing of folder ${folder}.`,
    'Keep editable files in folders with fewer than 100,000 entries.',
  )
}
