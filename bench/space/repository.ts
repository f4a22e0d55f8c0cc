import { createHash } from 'node:crypto'
import { pick, rngFor } from '../../src/core/rng.ts'
import type { Embedding } from '../../src/core/space/embedding.ts'
import { createPathRule } from '../../src/embedding/eligible.ts'
import { embedCandidate } from '../../src/embedding/embed-candidate.ts'
import { createHashingEmbedder } from '../../src/embedding/embedders/hashing.ts'
import { FileVectors } from '../../src/embedding/file-vectors.ts'
import { embedTree, type TreeSum } from '../../src/embedding/repo-state.ts'
import type { FileVersion, PathChange } from '../../src/git/listing.ts'
import { writeModule } from './source.ts'
import { DOMAINS, functionName } from './vocabulary.ts'

/** The text of each file that differs from the root; undefined where it was deleted. */
export type Edits = ReadonlyMap<string, string | undefined>

/** A repository in memory, whose candidates are described as a campaign would describe them. */
export class MemoryRepository {
  readonly files: ReadonlyMap<string, string>
  readonly paths: readonly string[]
  readonly #blobs = new Map<string, Buffer>()
  readonly #vectors = new FileVectors(
    createHashingEmbedder(),
    async (id) => this.#blobs.get(id) ?? Buffer.alloc(0),
  )
  readonly #rule = createPathRule()
  #sum: Promise<TreeSum> | undefined

  constructor(files: ReadonlyMap<string, string>) {
    this.files = files
    this.paths = [...files.keys()]
  }

  async describe(edits: Edits, mode: 'delta' | 'repo_state'): Promise<Embedding> {
    if (mode === 'repo_state') this.#sum ??= this.#embedRoot()
    const root = mode === 'repo_state' ? await this.#sum : undefined
    const order = { changes: this.#changes(edits), vectors: this.#vectors, rule: this.#rule, root }
    return (await embedCandidate(order)).embedding
  }

  #embedRoot(): Promise<TreeSum> {
    const files = [...this.files].map(([path, text]) => ({
      path,
      pathBytes: Buffer.from(path),
      ...this.#version(text),
    }))
    return embedTree(files, this.#rule, this.#vectors)
  }

  #changes(edits: Edits): PathChange[] {
    const paths = [...edits.keys()].filter((path) => edits.get(path) !== this.files.get(path)).sort()
    return paths.map((path) => {
      const [before, after] = [this.files.get(path), edits.get(path)]
      return {
        path,
        pathBytes: Buffer.from(path),
        before: before === undefined ? undefined : this.#version(before),
        after: after === undefined ? undefined : this.#version(after),
      }
    })
  }

  #version(text: string): FileVersion {
    const blob = createHash('sha1').update(text).digest('hex')
    if (!this.#blobs.has(blob)) this.#blobs.set(blob, Buffer.from(text))
    return { mode: '100644', blob }
  }
}

const FILES_A_FOLDER = 12

/** A repository of so many files of plausible JavaScript, a folder for each dozen on one subject. */
export function generateRepository(count: number, seed: number): MemoryRepository {
  const files = new Map<string, string>()
  for (let index = 0; files.size < count; index++) {
    const rng = rngFor(seed, index, 'file')
    const folder = Math.floor(index / FILES_A_FOLDER)
    const domain = pick(DOMAINS, rngFor(seed, folder, 'folder'))
    const imports = pickImports(files, { folder, index, seed })
    const name = `${functionName(domain, rng)}-${index}`.replaceAll(
      /[A-Z]/g,
      (letter) => `-${letter.toLowerCase()}`,
    )
    files.set(
      `src/${domain.name}-${folder}/${name}.js`,
      writeModule(domain, rng, { imports, functions: 2 + rng.int(6) }),
    )
  }
  return new MemoryRepository(files)
}

// From files of the same folder, as most imports are: what a refactoring across files follows.
function pickImports(
  files: ReadonlyMap<string, string>,
  { folder, index, seed }: { readonly folder: number; readonly index: number; readonly seed: number },
): { name: string; path: string }[] {
  const rng = rngFor(seed, index, 'imports')
  const near = [...files].slice(folder * FILES_A_FOLDER, index)
  const wanted = near.length === 0 ? 0 : rng.int(3)
  return Array.from({ length: wanted }, () => {
    const [path, text] = pick(near, rng)
    const [, name = 'main'] = /export function (\w+)/.exec(text) ?? []
    return { name, path: `./${path.slice(path.lastIndexOf('/') + 1)}` }
  })
}
