import { appendFile, mkdir, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { LEFT_OUT_REASONS } from '../core/space/left-out.ts'
import type { FileVector, VectorCache } from './file-vectors.ts'

// A record: the padded key; the number of lines, or for a file that was left out minus the reason's number minus one;
// the components.
const KEY_BYTES = 72

/**
 * File vectors on disk, in up to 256 files by the first digits of their keys. Each file is read on first use, and records
 * are appended. A record that a crash truncated is dropped.
 */
export class DiskCache implements VectorCache {
  readonly #folder: string
  readonly #dimensions: number
  readonly #parts = new Map<string, Promise<Map<string, FileVector>>>()

  /** One folder per embedder: vectors do not say which embedder made them. */
  constructor(folder: string, dimensions: number) {
    this.#folder = folder
    this.#dimensions = dimensions
  }

  async get(key: string): Promise<FileVector | undefined> {
    return (await this.#part(key)).get(key)
  }

  async set(key: string, vector: FileVector): Promise<void> {
    const part = await this.#part(key)
    part.set(key, vector)
    await appendFile(this.#pathOf(key), this.#encode(key, vector))
  }

  #part(key: string): Promise<Map<string, FileVector>> {
    const path = this.#pathOf(key)
    const known = this.#parts.get(path) ?? this.#load(path)
    this.#parts.set(path, known)
    return known
  }

  async #load(path: string): Promise<Map<string, FileVector>> {
    await mkdir(this.#folder, { recursive: true })
    const bytes = await readFile(path).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Buffer.alloc(0)
      throw error
    })
    const size = this.#recordBytes
    const whole = bytes.length - (bytes.length % size)
    if (whole < bytes.length) await truncate(path, whole)
    const part = new Map<string, FileVector>()
    for (let start = 0; start < whole; start += size) {
      const record = bytes.subarray(start, start + size)
      part.set(record.toString('latin1', 0, KEY_BYTES).trimEnd(), this.#decode(record))
    }
    return part
  }

  get #recordBytes(): number {
    return KEY_BYTES + 4 * (1 + this.#dimensions)
  }

  #encode(key: string, file: FileVector): Buffer {
    const record = Buffer.alloc(this.#recordBytes)
    record.write(key.padEnd(KEY_BYTES), 'latin1')
    const embedded = file.status === 'embedded'
    record.writeInt32LE(embedded ? file.lines : -1 - LEFT_OUT_REASONS.indexOf(file.reason), KEY_BYTES)
    if (embedded) {
      for (const [index, component] of file.vector.entries()) {
        record.writeFloatLE(component, KEY_BYTES + 4 * (1 + index))
      }
    }
    return record
  }

  #decode(record: Buffer): FileVector {
    const lines = record.readInt32LE(KEY_BYTES)
    if (lines < 0) return { status: 'left-out', reason: LEFT_OUT_REASONS[-1 - lines] ?? 'not-source' }
    const vector = Float32Array.from({ length: this.#dimensions }, (_, index) =>
      record.readFloatLE(KEY_BYTES + 4 * (1 + index)),
    )
    return { status: 'embedded', vector, lines }
  }

  #pathOf(key: string): string {
    return join(this.#folder, `${key.slice(0, 2)}.bin`)
  }
}
