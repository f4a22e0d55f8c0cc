import { execFile } from 'node:child_process'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type GitEnvironment, runGit } from '../src/git/command.ts'

const spawned = promisify(execFile)

const IDENTITY = ['-c', 'user.name=Floor', '-c', 'user.email=floor@localhost', '-c', 'commit.gpgsign=false']

/** A candidate by plain git commands: worktree add, one changed line, commit, ref, `true`, worktree remove. */
export async function runFloor(folder: string, ordinal: number, environment: GitEnvironment): Promise<void> {
  const work = `${folder}-work-${ordinal}`
  const git = (cwd: string, ...args: string[]): Promise<Buffer> =>
    runGit({ args: [...IDENTITY, ...args], cwd, environment })
  await git(folder, 'worktree', 'add', '--quiet', '--detach', work, 'HEAD')
  await appendFile(join(work, 'src/part-0/file-0.js'), `export const floor = ${ordinal}\n`)
  await git(work, 'commit', '--quiet', '--all', '-m', `candidate ${ordinal}`)
  await git(work, 'update-ref', `refs/floor/${ordinal}`, 'HEAD')
  await spawned('true', { env: environment })
  await git(folder, 'worktree', 'remove', '--force', work)
}

/** A command as bare as it gets: the shell, and nothing watched or cleaned up around it. */
export async function runBare(line: string, environment: GitEnvironment): Promise<void> {
  await spawned('/bin/sh', ['-c', line], { env: environment })
}
