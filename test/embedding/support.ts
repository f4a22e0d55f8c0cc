import { createHash } from 'node:crypto'
import { decodeVector } from '../../src/core/space/embedding.ts'
import { createPathRule } from '../../src/embedding/eligible.ts'
import { type EmbeddedCandidate, embedCandidate } from '../../src/embedding/embed-candidate.ts'
import type { Embedder } from '../../src/embedding/embedder.ts'
import { createHashingEmbedder } from '../../src/embedding/embedders/hashing.ts'
import { FileVectors } from '../../src/embedding/file-vectors.ts'
import { embedTree } from '../../src/embedding/repo-state.ts'
import type { PathChange, TreeFile } from '../../src/git/listing.ts'

export type Files = Readonly<Record<string, string>>

/** Repositories in memory, and a count of the texts that were embedded for them. */
export class Shelf {
  readonly #blobs = new Map<string, Buffer>()
  readonly vectors: FileVectors
  embedded = 0

  constructor(embedder: Embedder = createHashingEmbedder()) {
    const counting: Embedder = {
      ...embedder,
      embed: async (texts) => {
        this.embedded += texts.length
        return await embedder.embed(texts)
      },
    }
    this.vectors = new FileVectors(counting, async (blob) => this.#blobs.get(blob) ?? Buffer.alloc(0))
  }

  blob(text: string): string {
    const id = createHash('sha1').update(text).digest('hex')
    this.#blobs.set(id, Buffer.from(text))
    return id
  }

  changes(root: Files, files: Files): PathChange[] {
    const paths = [...new Set([...Object.keys(root), ...Object.keys(files)])].sort()
    const side = (text: string | undefined) =>
      text === undefined ? undefined : { mode: '100644', blob: this.blob(text) }
    return paths
      .filter((path) => root[path] !== files[path])
      .map((path) => ({
        path,
        pathBytes: Buffer.from(path),
        before: side(root[path]),
        after: side(files[path]),
      }))
  }

  async delta(root: Files, files: Files): Promise<EmbeddedCandidate> {
    return await embedCandidate({
      changes: this.changes(root, files),
      vectors: this.vectors,
      rule: createPathRule(),
    })
  }

  async repoState(root: Files, files: Files): Promise<EmbeddedCandidate> {
    const rule = createPathRule()
    const sum = await embedTree(this.tree(root), rule, this.vectors)
    return await embedCandidate({
      changes: this.changes(root, files),
      vectors: this.vectors,
      rule,
      root: sum,
    })
  }

  tree(files: Files): TreeFile[] {
    return Object.entries(files).map(([path, text]) => ({
      path,
      pathBytes: Buffer.from(path),
      mode: '100644',
      blob: this.blob(text),
    }))
  }
}

/** The components and the magnitude of an encoded vector. */
export function partsOf({ embedding }: EmbeddedCandidate): { components: number[]; magnitude: number } {
  const values = [...(decodeVector(embedding.vector) ?? [])]
  return { components: values.slice(0, -1), magnitude: values.at(-1) ?? Number.NaN }
}

export function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]): number =>
    x.reduce((sum, value, index) => sum + value * (y[index] ?? 0), 0)
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}
