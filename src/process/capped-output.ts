/**
 * The output of a stream in bounded memory: the first quarter and the last three quarters of the limit. The end gets more
 * because results are read from the last lines.
 */
export class CappedOutput {
  readonly #headLimit: number
  readonly #tail: RingBuffer
  #head = Buffer.alloc(0)
  #headBytes = 0

  constructor(maxBytes: number) {
    this.#headLimit = Math.floor(maxBytes / 4)
    this.#tail = new RingBuffer(maxBytes - this.#headLimit)
  }

  get truncated(): boolean {
    return this.#tail.overwrittenBytes > 0
  }

  add(chunk: Buffer): void {
    // Allocated at the first byte, here and for the tail: most commands print little.
    if (this.#head.length === 0) this.#head = Buffer.allocUnsafe(this.#headLimit)
    const copied = chunk.copy(this.#head, this.#headBytes)
    this.#headBytes += copied
    this.#tail.add(chunk.subarray(copied))
  }

  text(): string {
    const head = this.#head.subarray(0, this.#headBytes)
    const tail = this.#tail.read()
    if (!this.truncated) return Buffer.concat([head, tail]).toString('utf8')
    return joinAtLines(head, tail, this.#tail.overwrittenBytes)
  }
}

// Half a line must not pass for a whole one: `METRIC a=12` may be the start of `METRIC a=120`. So both parts are cut at
// line ends; a part that is one endless line keeps what it has, with the marker attached.
function joinAtLines(head: Buffer, tail: Buffer, overwrittenBytes: number): string {
  const headEnd = head.lastIndexOf('\n') + 1 || head.length
  const firstLineEnd = tail.indexOf('\n') + 1
  const tailStart = firstLineEnd < tail.length ? firstLineEnd : 0
  const leftOut = overwrittenBytes + (head.length - headEnd) + tailStart
  const lineBreak = tailStart > 0 ? '\n' : ''
  const marker = `[... ${leftOut} bytes left out ...]${lineBreak}`
  return head.toString('utf8', 0, headEnd) + marker + tail.toString('utf8', tailStart)
}

/** Keeps the last bytes written to it. */
class RingBuffer {
  readonly #limit: number
  #bytes = Buffer.alloc(0)
  #next = 0
  #written = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get overwrittenBytes(): number {
    return Math.max(0, this.#written - this.#limit)
  }

  add(chunk: Buffer): void {
    this.#written += chunk.length
    const kept = chunk.subarray(Math.max(0, chunk.length - this.#limit))
    if (kept.length === 0) return
    if (this.#bytes.length === 0) this.#bytes = Buffer.allocUnsafe(this.#limit)
    const untilEnd = kept.copy(this.#bytes, this.#next)
    kept.copy(this.#bytes, 0, untilEnd)
    this.#next = (this.#next + kept.length) % this.#limit
  }

  read(): Buffer {
    if (this.#written <= this.#limit) return this.#bytes.subarray(0, this.#written)
    return Buffer.concat([this.#bytes.subarray(this.#next), this.#bytes.subarray(0, this.#next)])
  }
}
