import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { gitFailed, safeArguments } from './command.ts'
import type { Repository } from './repository.ts'

/** Reads one answer from the start of the buffer, or says how many bytes it needs at least. */
export type AnswerReader<T> = (
  buffered: Buffer,
) => { readonly answer: T; readonly length: number } | { readonly needs: number }

interface Pending {
  /** Settles when the buffer holds the whole answer. */
  readonly take: (buffered: Buffer) => { readonly length: number } | { readonly needs: number }
  readonly fail: (fault: Error) => void
}

/**
 * A git process that stays open and answers requests in order. Starting git takes milliseconds, an answer from a
 * running one a fraction of that. This is the main reason why a candidate is cheap.
 */
export class Coprocess {
  readonly #repository: Repository
  readonly #args: readonly string[]
  #child: ChildProcessWithoutNullStreams | undefined
  #chunks: Buffer[] = []
  #received = 0
  #needed = 0
  #pending: Pending[] = []
  #stderr = ''

  constructor(repository: Repository, args: readonly string[]) {
    this.#repository = repository
    this.#args = args
  }

  /** Sends a request and waits for its answer. Requests may be sent before earlier answers have come. */
  async ask<T>(request: string, readAnswer: AnswerReader<T>): Promise<T> {
    const child = this.#child ?? this.#start()
    return await new Promise<T>((resolve, reject) => {
      const take: Pending['take'] = (buffered) => {
        const read = readAnswer(buffered)
        if ('answer' in read) resolve(read.answer)
        return read
      }
      this.#pending.push({ take, fail: reject })
      child.stdin.write(request)
    })
  }

  /** Ends the process once it has answered everything. */
  async close(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    await new Promise<void>((resolve) => {
      child.once('close', () => resolve())
      child.stdin.end()
    })
  }

  #start(): ChildProcessWithoutNullStreams {
    const { commonDir, environment } = this.#repository
    const args = safeArguments([`--git-dir=${commonDir}`, ...this.#args])
    // Outside the terminal's group: after Ctrl-C it must still answer while we finish.
    const child = spawn('git', args, { env: environment, cwd: commonDir, stdio: 'pipe', detached: true })
    this.#child = child
    this.#chunks = []
    this.#received = 0
    this.#needed = 0
    this.#stderr = ''
    child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk))
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-4000)
    })
    child.stdin.on('error', () => child.stdin.destroy())
    child.on('error', () => this.#ended(child))
    child.on('close', () => this.#ended(child))
    return child
  }

  // Chunks are joined only when they may hold a whole answer: joining each time would be quadratic for large blobs.
  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#received += chunk.length
    if (this.#received < this.#needed) return
    let buffered = Buffer.concat(this.#chunks)
    this.#needed = 0
    for (let first = this.#pending[0]; first !== undefined; first = this.#pending[0]) {
      const taken = first.take(buffered)
      if ('needs' in taken) {
        this.#needed = taken.needs
        break
      }
      this.#pending.shift()
      buffered = buffered.subarray(taken.length)
    }
    this.#chunks = [buffered]
    this.#received = buffered.length
  }

  // The next request starts a new process: one refused ref update ends `update-ref`, not our session.
  #ended(child: ChildProcessWithoutNullStreams): void {
    if (this.#child !== child) return
    this.#child = undefined
    const fault = gitFailed(this.#args, this.#stderr)
    for (const pending of this.#pending.splice(0)) pending.fail(fault)
  }
}

/** One line without its line feed. */
export const readLine: AnswerReader<string> = (buffered) => {
  const end = buffered.indexOf(0x0a)
  return end < 0
    ? { needs: buffered.length + 1 }
    : { answer: buffered.toString('utf8', 0, end), length: end + 1 }
}
