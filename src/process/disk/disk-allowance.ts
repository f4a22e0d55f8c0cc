import { statfs } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { type MeasuredFolder, measureFolder, type Room } from './folder-size.ts'

export interface DiskOptions extends MeasuredFolder {
  readonly maxBytes: number
  /** How often the folder is measured even if the disk has not shrunk: somebody else may free space meanwhile. */
  readonly measureEveryMs?: number | undefined
}

/** Why a command was stopped: it took too much, or the disk ran low through no fault of its own. */
export interface DiskEnd {
  readonly status: 'disk-limit' | 'disk-low'
  readonly detail: string
}

const LOOK_EVERY_MS = 500
// Most commands finish before that and are never disturbed.
const MEASURE_EVERY_MS = 60_000
// Reserved for everybody else on the machine; half of the free space if there is less.
const LEAST_LEFT: Room = { bytes: 1024 ** 3, files: 100_000 }

/**
 * How much disk the commands in one folder may use together. Free space is checked constantly, which is cheap. The folder
 * is measured only when free space has shrunk, since a neighbour may be the cause.
 */
export class DiskAllowance {
  readonly #options: DiskOptions
  readonly #least: Room
  /** Free space at the latest check, and the most ever seen. */
  #left: Room
  #most: Room
  /** What others have used, as far as we know. */
  #othersBytes = 0
  #measuredMs = performance.now()
  /** The folder's usage once it is too much; the free space once it is too little. */
  #tooMuch: Room | undefined
  #tooLittle: Room | undefined

  private constructor(options: DiskOptions, left: Room) {
    this.#options = options
    this.#left = left
    this.#most = left
    this.#least = {
      bytes: Math.min(LEAST_LEFT.bytes, left.bytes / 2),
      files: Math.min(LEAST_LEFT.files, left.files / 2),
    }
  }

  /** Starts from the current free space, before anything has run in the folder. */
  static async open(options: DiskOptions): Promise<DiskAllowance> {
    return new DiskAllowance(options, await findLeft(options.folder))
  }

  /** Resolves to true once commands must end at once, or to false when `signal` aborts. */
  async isSpent(signal: AbortSignal): Promise<boolean> {
    // Independently: measuring a million files takes time, in which the disk could fill up.
    return await Promise.race([until(() => this.#isLow(), signal), until(() => this.#isTooMuch(), signal)])
  }

  /** Explains why, after every process is dead and the files that only they held are gone. */
  async explain(): Promise<DiskEnd> {
    const { maxBytes } = this.#options
    const most = this.#most
    // Free space at the time of the stop: its death may have freed some already.
    const left = this.#tooLittle ?? this.#left
    if (this.#tooMuch !== undefined)
      return { status: 'disk-limit', detail: `${tell(this.#tooMuch)}; ${inMegabytes(maxBytes)} is the limit` }
    const regainedBytes = Math.max(0, (await this.#look()).bytes - left.bytes)
    const found = await measureFolder(this.#options)
    const taken = { ...found, bytes: found.bytes + regainedBytes }
    const scarce = left.bytes < this.#least.bytes ? 'bytes' : 'files'
    const isToBlame = taken[scarce] * 2 >= most[scarce] - left[scarce]
    const rest = `${inMegabytes(left.bytes)} and room for ${left.files} files were left`
    return { status: isToBlame ? 'disk-limit' : 'disk-low', detail: `${tell(taken)}; ${rest}` }
  }

  async #isLow(): Promise<boolean> {
    const left = await this.#look()
    if (left.bytes >= this.#least.bytes && left.files >= this.#least.files) return false
    this.#tooLittle = left
    return true
  }

  async #isTooMuch(): Promise<boolean> {
    const { maxBytes, measureEveryMs = MEASURE_EVERY_MS } = this.#options
    const { bytes } = await this.#look()
    const goneBytes = this.#most.bytes - bytes
    const isDue = performance.now() - this.#measuredMs >= measureEveryMs
    if (goneBytes - this.#othersBytes < maxBytes && !isDue) return false
    const own = await measureFolder(this.#options)
    this.#measuredMs = performance.now()
    this.#othersBytes = goneBytes - own.bytes
    if (own.bytes < maxBytes) return false
    this.#tooMuch = own
    return true
  }

  async #look(): Promise<Room> {
    // Without isolation a candidate can delete the folder: then the last check is all we know.
    const left = await findLeft(this.#options.folder).catch(() => this.#left)
    this.#left = left
    // Space that somebody else freed is not this folder's to use.
    this.#most = {
      bytes: Math.max(this.#most.bytes, left.bytes),
      files: Math.max(this.#most.files, left.files),
    }
    return left
  }
}

// File systems with dynamic inodes report none at all.
async function findLeft(folder: string): Promise<Room> {
  const { bavail, bsize, files, ffree } = await statfs(folder)
  return { bytes: bavail * bsize, files: files > 0 ? ffree : 0 }
}

async function until(test: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (await test()) return true
    await delay(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined)
  }
  return false
}

function tell({ bytes, files }: Room): string {
  return `it took ${inMegabytes(bytes)} of disk in ${files} files`
}

function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MB`
}
