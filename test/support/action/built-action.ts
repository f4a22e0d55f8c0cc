import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')

/** Builds the action as the sources give it now; gives the folder that stands for its repository. */
export function buildAction(repository: string): string {
  const action = join(repository, 'action')
  mkdirSync(action, { recursive: true })
  cpSync(join(ROOT, 'action/action.yml'), join(action, 'action.yml'))
  const build = ['scripts/build-action.mjs', '--out', join(action, 'dist')]
  execFileSync(process.execPath, build, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] })
  return repository
}
