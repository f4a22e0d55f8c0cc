import { statfs } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { type MeasuredFolder, measureFolder, type Room } from './folder-size.ts'

export interface DiskOptions extends MeasuredFolder {
  readonly maxBytes: number
  /** How often the folder is measured whatever is left of the disk: somebody else may make room meanwhile. */
  readonly measureEveryMs?: number | undefined
}

/** Why a command was ended: it took too much, or too little was left and it is not to blame. */
export interface DiskEnd {
  readonly status: 'disk-limit' | 'disk-low'
  readonly detail: string
}

const LOOK_EVERY_MS = 500
// Most commands are done by then, and are never disturbed.
const MEASURE_EVERY_MS = 60_000
// So much is left to everybody else on the machine. Where less is there to begin with, half of it.
const LEAST_LEFT: Room = { bytes: 1024 ** 3, files: 100_000 }

/**
 * How much disk the commands in one folder may take together. What is left of the file system is looked at all the
 * time, which costs next to nothing; what the folder takes only when that has shrunk: it may be a neighbour's doing.
 */
export class DiskAllowance {
  readonly #order: DiskOptions
  readonly #least: Room
  /** What was left at the latest look, and at the best one. */
  #left: Room
  #most: Room
  /** What others have taken, as far as we know. */
  #othersBytes = 0
  #measuredMs = performance.now()
  /** What the folder takes, once that is known to be too much; what was left, once that was too little. */
  #tooMuch: Room | undefined
  #tooLittle: Room | undefined

  private constructor(order: DiskOptions, left: Room) {
    this.#order = order
    this.#left = left
    this.#most = left
    this.#least = {
      bytes: Math.min(LEAST_LEFT.bytes, left.bytes / 2),
      files: Math.min(LEAST_LEFT.files, left.files / 2),
    }
  }

  /** Begins with what is left now, when the folder has been made and nothing has run in it. */
  static async open(order: DiskOptions): Promise<DiskAllowance> {
    return new DiskAllowance(order, await findLeft(order.folder))
  }

  /** Waits until commands have to end at once; or, with false, until nobody wants to know any more. */
  async isSpent(signal: AbortSignal): Promise<boolean> {
    // Apart from each other: measuring a million files takes its time, in which the disk could run full.
    return await Promise.race([until(() => this.#isLow(), signal), until(() => this.#isTooMuch(), signal)])
  }

  /** Says why, once every process is dead and the files that only they held are gone with them. */
  async explain(): Promise<DiskEnd> {
    const { maxBytes } = this.#order
    const most = this.#most
    // What was left when it had to end: its death may have made room already.
    const left = this.#tooLittle ?? this.#left
    if (this.#tooMuch !== undefined)
      return { status: 'disk-limit', detail: `${tell(this.#tooMuch)}; ${inMegabytes(maxBytes)} is the limit` }
    const regainedBytes = Math.max(0, (await this.#look()).bytes - left.bytes)
    const found = await measureFolder(this.#order)
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
    const { maxBytes, measureEveryMs = MEASURE_EVERY_MS } = this.#order
    const { bytes } = await this.#look()
    const goneBytes = this.#most.bytes - bytes
    const isDue = performance.now() - this.#measuredMs >= measureEveryMs
    if (goneBytes - this.#othersBytes < maxBytes && !isDue) return false
    const own = await measureFolder(this.#order)
    this.#measuredMs = performance.now()
    this.#othersBytes = goneBytes - own.bytes
    if (own.bytes < maxBytes) return false
    this.#tooMuch = own
    return true
  }

  async #look(): Promise<Room> {
    // Without isolation a candidate can remove the folder itself: then nothing is known beyond the last look.
    const left = await findLeft(this.#order.folder).catch(() => this.#left)
    this.#left = left
    // Somebody else may have made room, which is not this folder's to take.
    this.#most = {
      bytes: Math.max(this.#most.bytes, left.bytes),
      files: Math.max(this.#most.files, left.files),
    }
    return left
  }
}

// File systems that make files as they are needed say that none is left, and never were.
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
