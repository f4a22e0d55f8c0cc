import type { LeftOutReason } from '../core/space/left-out.ts'
import { type Chunk, chunkText } from './chunk.ts'
import { findContentReason, MAX_SOURCE_BYTES } from './eligible.ts'
import { type Embedded, type Embedder, normalise, type TextVector } from './embedder.ts'
import { findCommentStyle } from './languages.ts'
import { preprocess } from './preprocess.ts'

/** The vector of a file, or why it has none. */
export type FileVector =
  | { readonly status: 'embedded'; readonly vector: TextVector; readonly lines: number }
  | { readonly status: 'left-out'; readonly reason: LeftOutReason }

/** One version of a file. Its vector depends on the blob, and on the path only through the language. */
export interface FileVersion {
  readonly path: string
  readonly blob: string
}

/** Reads a blob's bytes; undefined if there are more than `maxBytes`. */
export type BlobReader = (blob: string, maxBytes: number) => Promise<Buffer | undefined>

/**
 * A cache of file vectors. A version never changes, and the embedder's identity covers how it is processed, so no entry is
 * ever stale.
 */
export interface VectorCache {
  get(key: string): FileVector | undefined | Promise<FileVector | undefined>
  set(key: string, vector: FileVector): unknown
}

/** A file's cleaned text: what is embedded. */
interface CleanFile {
  readonly text: string
  readonly lines: number
}

function cleanFile(path: string, content: Buffer | undefined): CleanFile | LeftOutReason {
  if (content === undefined) return 'too-large'
  const reason = findContentReason(content)
  if (reason !== undefined) return reason
  const text = preprocess(content.toString('utf8'), findCommentStyle(path) ?? 'none')
  return text === '' ? 'empty' : { text, lines: text.split('\n').length }
}

export interface EmbeddedFiles {
  /** In the requested order. */
  readonly files: readonly FileVector[]
  readonly usage: Embedded['usage']
}

/** Embeds files, each version once. */
export class FileVectors {
  readonly embedder: Embedder
  readonly #readBlob: BlobReader
  readonly #cache: VectorCache

  constructor(embedder: Embedder, readBlob: BlobReader, cache: VectorCache = new Map()) {
    this.embedder = embedder
    this.#readBlob = readBlob
    this.#cache = cache
  }

  /** The vectors of these files and their cost, in one request to the embedder. */
  async embed(versions: readonly FileVersion[]): Promise<EmbeddedFiles> {
    const known = await Promise.all(versions.map((version) => this.#cache.get(keyOf(version))))
    const missing = versions.filter((_, index) => known[index] === undefined)
    const unique = [...new Map(missing.map((version) => [keyOf(version), version]))]
    const made = await this.#make(unique.map(([, version]) => version))
    const fresh = new Map(unique.map(([key], index) => [key, made.files[index]]))
    for (const [key, file] of fresh) if (file !== undefined) await this.#cache.set(key, file)
    const files = versions.flatMap((version, index) => known[index] ?? fresh.get(keyOf(version)) ?? [])
    return { files, usage: made.usage }
  }

  /** A file's cleaned text, or why it is left out. */
  async read({ path, blob }: FileVersion): Promise<CleanFile | LeftOutReason> {
    return cleanFile(path, await this.#readBlob(blob, MAX_SOURCE_BYTES))
  }

  async #make(versions: readonly FileVersion[]): Promise<EmbeddedFiles> {
    const cleaned = await Promise.all(versions.map((version) => this.read(version)))
    const pieces = cleaned.map((clean) => (typeof clean === 'string' ? [] : this.#cut(clean)))
    const { vectors, usage } = await this.embedder.embed(pieces.flat().map(({ text }) => text))
    let taken = 0
    const files = cleaned.map((clean, index): FileVector => {
      const chunks = pieces[index] ?? []
      const own = vectors.slice(taken, taken + chunks.length)
      taken += chunks.length
      if (typeof clean === 'string') return { status: 'left-out', reason: clean }
      return { status: 'embedded', vector: this.#mean(chunks, own), lines: clean.lines }
    })
    return { files, usage }
  }

  #cut(clean: CleanFile): readonly Chunk[] {
    return this.embedder.chunked ? chunkText(clean.text) : [clean]
  }

  /** The mean of the chunks' vectors, weighted by lines, scaled to length 1. */
  #mean(chunks: readonly Chunk[], vectors: readonly TextVector[]): TextVector {
    const sum = new Float32Array(this.embedder.dimensions)
    for (const [index, vector] of vectors.entries()) {
      const { lines } = chunks[index] ?? { lines: 0 }
      for (let slot = 0; slot < sum.length; slot++) sum[slot] = (sum[slot] ?? 0) + lines * (vector[slot] ?? 0)
    }
    return normalise(sum)
  }
}

/** Equal for versions with the same vector. */
export function keyOf({ path, blob }: FileVersion): string {
  return `${blob}.${findCommentStyle(path) ?? 'none'}`
}
