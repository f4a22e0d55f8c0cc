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

export interface RefFacts {
  readonly id: string
  /**
   * The work tree in which the branch is checked out. Moving such a branch would make that work tree look changed, which
   * would surprise a user who inspects an elite.
   */
  readonly checkedOutIn: string | undefined
}

/** All refs under some prefixes, by name, from one git process. */
export async function inspectRefs(
  repository: Repository,
  prefixes: readonly string[],
): Promise<ReadonlyMap<string, RefFacts>> {
  const format = '--format=%(refname) %(objectname) %(worktreepath)'
  const output = await runInRepository(repository, ['for-each-ref', format, ...prefixes])
  const lines = output.toString('utf8').split('\n').filter(Boolean)
  return new Map(
    lines.map((line) => {
      const [ref = '', id = '', ...folder] = line.split(' ')
      return [ref, { id, checkedOutIn: folder.join(' ') || undefined }]
    }),
  )
}
