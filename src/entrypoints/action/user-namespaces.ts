import { readFile } from 'node:fs/promises'
import { tryProgram } from '../../process/try-program.ts'
import type { RunnerMachine } from './runner.ts'

const RESTRICTION = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns'

/**
 * Lifts Ubuntu's restriction of user namespaces on a machine of GitHub's, which is thrown away after the job. Under the
 * restriction `loreley-candidate` cannot separate candidate code from its evaluator. A maintainer's own machine is not
 * ours to change: there the isolation says what is missing. If it cannot be lifted, it says so too.
 */
export async function allowUserNamespaces(
  { isHosted, path }: Pick<RunnerMachine, 'isHosted' | 'path'>,
  file = RESTRICTION,
): Promise<void> {
  const setting = isHosted ? await readFile(file, 'utf8').catch(() => '') : ''
  if (setting.trim() !== '1') return
  const rank = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  await tryProgram([...rank, 'sh', '-c', 'echo 0 >"$0"', file], { PATH: path })
}
