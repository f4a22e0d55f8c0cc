import type { EvaluationConfig } from '../../config/campaign-config.ts'
import { LoreleyError } from '../../errors.ts'
import { findIsolation } from '../../process/isolation/find-isolation.ts'
import type { Isolation } from '../../process/isolation/isolation.ts'
import type { RunnerMachine } from './runner.ts'
import { allowUserNamespaces } from './user-namespaces.ts'

const LEVELS = {
  auto: ['namespace', 'user'],
  namespace: ['namespace'],
  user: ['user'],
} as const

/** How candidates are isolated on this runner. Undefined only if the maintainer accepted that they are not. */
export async function isolateOnRunner(
  machine: Pick<RunnerMachine, 'home' | 'workspace' | 'temp' | 'toolCache' | 'path' | 'folder' | 'isHosted'>,
  { isolation: wanted, network }: Pick<EvaluationConfig, 'isolation' | 'network'>,
): Promise<Isolation | undefined> {
  if (wanted === 'none') return undefined
  const { home, workspace, temp, toolCache, path, folder } = machine
  await allowUserNamespaces(machine)
  const search = await findIsolation({
    levels: LEVELS[wanted],
    network,
    // Leftovers of other candidates, the runner's command files, and keys.
    hidden: ['/tmp', '/var/tmp', '/dev/shm', temp, workspace, home].filter((each) => each.length > 1),
    readOnly: toolCache === '' ? [] : [toolCache],
    unprivileged: 'sudo',
    alone: true,
    trialFolder: folder,
    path,
  })
  if (search.status === 'found') return search.isolation
  throw new LoreleyError(
    'isolation-unavailable',
    `This runner cannot isolate candidate code: ${search.detail}`,
    'Use a Linux runner with sudo, or a container with CAP_SYS_ADMIN; or accept it with `evaluation.isolation: none`.',
  )
}
