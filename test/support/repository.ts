import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createGitEnvironment } from '../../src/git/command.ts'

/** git's environment in tests: the machine's, without its GIT_ variables. */
export const gitEnvironment = createGitEnvironment(process.env)

/** A temporary folder that goes when the test ends. */
export function aFolder(prefix = 'loreley-test-'): string {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs git in a folder as a user would, with a name and an e-mail address. */
export function git(folder: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgsign=false']
  return execFileSync('git', [...identity, ...args], {
    cwd: folder,
    env: gitEnvironment,
    encoding: 'utf8',
  }).trimEnd()
}

/** Writes files below a folder, making folders on the way. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** A repository with one commit of the given files. */
export function aRepository(files: Readonly<Record<string, string>> = { 'README.md': 'hello\n' }): string {
  const folder = aFolder()
  git(folder, 'init', '-q', '-b', 'main')
  writeFiles(folder, files)
  git(folder, 'add', '-A')
  git(folder, 'commit', '-q', '-m', 'start')
  return folder
}
