import { LoreleyError } from '../errors.ts'
import { type AnswerReader, Coprocess } from './coprocess.ts'
import { type Repository, runInRepository } from './repository.ts'

export interface RefChange {
  readonly ref: string
  /** The new target; undefined deletes the ref. */
  readonly to: string | undefined
  /** The expected current target: an id, 'absent' or 'any'. */
  readonly from: string
}

export type RefOutcome =
  | { readonly status: 'applied' }
  | { readonly status: 'refused'; readonly detail: string }

/** Changes refs atomically, each only from its expected value. */
export class RefWriter {
  readonly #process: Coprocess
  readonly #zero: string

  constructor(repository: Repository) {
    this.#process = new Coprocess(repository, ['update-ref', '--stdin'])
    this.#zero = '0'.repeat(repository.objectFormat === 'sha256' ? 64 : 40)
  }

  async apply(changes: readonly RefChange[]): Promise<RefOutcome> {
    if (changes.length === 0) return { status: 'applied' }
    const lines = changes.map((change) => this.#line(change))
    try {
      await this.#process.ask(['start', ...lines, 'prepare', 'commit', ''].join('\n'), readCommitted)
      return { status: 'applied' }
    } catch (error) {
      // Git stops at the first ref that it cannot change. The caller reads the refs to find out why.
      if (error instanceof LoreleyError && error.code === 'git-failed') {
        return { status: 'refused', detail: error.message }
      }
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#process.close()
  }

  #line({ ref, to, from }: RefChange): string {
    const old = from === 'any' ? '' : ` ${from === 'absent' ? this.#zero : from}`
    return to === undefined ? `delete ${ref}${old}` : `update ${ref} ${to}${old}`
  }
}

const COMMITTED = 'start: ok\nprepare: ok\ncommit: ok\n'

const readCommitted: AnswerReader<undefined> = (buffered) =>
  buffered.length < COMMITTED.length
    ? { needs: COMMITTED.length }
    : { answer: undefined, length: COMMITTED.length }

/**
 * Branches under a prefix that are checked out somewhere, with the folder. Moving such a branch would make that work tree
 * look changed, which would surprise a user who inspects an elite.
 */
export async function listCheckedOut(
  repository: Repository,
  prefix: string,
): Promise<ReadonlyMap<string, string>> {
  const format = '--format=%(refname) %(worktreepath)'
  const output = await runInRepository(repository, ['for-each-ref', format, prefix])
  const lines = output.toString('utf8').split('\n').filter(Boolean)
  const pairs = lines.map(
    (line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const,
  )
  return new Map(pairs.filter(([, folder]) => folder !== ''))
}
