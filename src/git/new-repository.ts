import { type GitEnvironment, runGit } from './command.ts'

const IDENTITY = { NAME: 'Loreley', EMAIL: 'loreley@localhost', DATE: '2026-01-01T00:00:00Z' }

/** Turns a folder into a repository with one commit. The same files give the same commit. */
export async function commitFolder(
  folder: string,
  message: string,
  environment: GitEnvironment,
): Promise<void> {
  const stamps = Object.entries(IDENTITY).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ])
  const run = (...args: string[]): Promise<Buffer> =>
    runGit({ args, cwd: folder, environment: { ...environment, ...Object.fromEntries(stamps) } })
  await run('init', '-q', '-b', 'main')
  await run('add', '--all')
  await run('-c', 'commit.gpgsign=false', 'commit', '-q', '-m', message)
}
