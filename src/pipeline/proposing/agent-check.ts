import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CheckOutcome } from '../../agents/agent.ts'
import type { GateConfig } from '../../config/campaign-config.ts'
import { runGroup, shellArgv } from '../../process/run-group.ts'
import type { JobContext } from '../job-context.ts'
import { createCommandEnvironment } from '../measuring/command-environment.ts'
import { findFault } from '../measuring/evaluate.ts'
import { findUnmet, removeGateReport } from '../measuring/gate-expectation.ts'
import { findSharedRoot } from '../workspace/shared-root.ts'
import type { Withheld } from '../workspace/withheld.ts'
import { createWorkspace, type Workspace } from '../workspace/workspace.ts'
import type { RunPrograms } from './patience.ts'

/** Checks on an agent's work before it is handed on. */
export interface AgentChecks {
  /** The maintainer's quick check, which the agent may run too. */
  readonly own?: GateConfig | undefined
  readonly gates: readonly GateConfig[]
}

/** What a check runs with. */
export interface CheckOptions
  extends Pick<
    JobContext,
    'preparedRoot' | 'objects' | 'path' | 'owner' | 'isolation' | 'passedEnvironment'
  > {
  /** The job's folder. */
  readonly folder: string
  /** Hidden from the agent, and so from its checks. */
  readonly withheld: Withheld
  /** The agent's folder is without what the set-up made. */
  readonly isBare?: boolean | undefined
  /** Runs programs when there is room for them; undefined: at once. */
  readonly runPrograms?: RunPrograms | undefined
  readonly maxDiskBytes: number
}

const MAX_OUTPUT_BYTES = 256 * 1024

/**
 * Runs commands in order on a copy of the agent's folder, so that their leftovers are not part of the candidate. They
 * run candidate code, so they are isolated like an evaluation and get no key.
 */
export function createCheck(
  options: CheckOptions,
  agentWorkspace: Workspace,
  lines: readonly GateConfig[],
): (signal: AbortSignal) => Promise<CheckOutcome> {
  const check = async (signal: AbortSignal): Promise<CheckOutcome> => {
    const workspace = await createCheckWorkspace(options, agentWorkspace.files, lines)
    try {
      for (const line of lines) {
        const fault = await runLine(options, { workspace, signal }, line)
        if (fault !== undefined) return { passed: false, output: `${line.name}: ${fault}` }
      }
      return { passed: true, output: '' }
    } finally {
      await workspace.remove()
    }
  }
  const { runPrograms = (work) => work() } = options
  return (signal) => runPrograms(() => check(signal))
}

/** A copy of the agent's folder, over what the set-up made if the agent did not get that. */
async function createCheckWorkspace(
  { preparedRoot, withheld, isBare, ...options }: CheckOptions,
  files: string,
  lines: readonly GateConfig[],
): Promise<Workspace> {
  const { path, owner, objects, isolation, maxDiskBytes } = options
  const reports = lines.flatMap(({ expect }) => expect?.junit?.file ?? [])
  const absent = [...reports, ...withheld.paths]
  const place = { folder: join(options.folder, 'check'), template: files }
  const common = { ...place, objects, path, owner, isolation, maxDiskBytes }
  if (isBare !== true) return await createWorkspace({ ...common, changes: [] })
  const shared = await findSharedRoot(preparedRoot, { absent, path, owner, isolation })
  const kept = await Promise.all(preparedRoot.rootFiles.map(({ path: each }) => isThere(join(files, each))))
  const removed = preparedRoot.rootFiles.filter((_, index) => kept[index] === false)
  const changes = removed.map(({ pathBytes }) => ({ pathBytes, version: undefined }))
  return await createWorkspace({ ...common, shared, over: files, changes })
}

async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  )
}

async function runLine(
  { path, owner, isolation, preparedRoot, passedEnvironment }: CheckOptions,
  { workspace, signal }: { readonly workspace: Workspace; readonly signal: AbortSignal },
  line: GateConfig,
): Promise<string | undefined> {
  const { command, timeoutSeconds } = line
  const { trusted, programs } = preparedRoot
  const { files, folder } = workspace
  await removeGateReport(line, files, isolation)
  const outcome = await runGroup({
    argv: shellArgv(command),
    cwd: files,
    env: createCommandEnvironment({ path, programs, trusted, workspace, passedEnvironment, isolation }),
    timeoutMs: timeoutSeconds * 1000,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    signal,
    owner,
    disk: workspace.disk,
    enclosure: isolation && { isolation, own: folder, readOnly: [trusted, programs], layer: workspace.layer },
  })
  signal.throwIfAborted()
  const secrets = Object.values(passedEnvironment)
  return findFault(outcome, secrets) ?? (await findUnmet(line, { folder: files, outcome, secrets }))
}
