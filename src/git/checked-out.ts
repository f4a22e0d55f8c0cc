import { type Repository, runInRepository } from './repository.ts'

/**
 * Branches below a prefix that are checked out somewhere, with the folder. Moving such a branch would make
 * that work tree look changed: a user who looks at an elite must not be surprised.
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
