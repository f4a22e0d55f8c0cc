import { join } from 'node:path'
import type { CheckOutcome } from '../../agents/agent.ts'
import type { GateConfig } from '../../config/campaign-config.ts'
import { runGroup, shellArgv } from '../../process/run-group.ts'
import type { JobContext } from '../job-context.ts'
import { createCommandEnvironment } from '../measuring/command-environment.ts'
import { findFault } from '../measuring/evaluate.ts'
import { findUnmet, removeGateReport } from '../measuring/gate-expectation.ts'
import { createWorkspace, type Workspace } from '../workspace/workspace.ts'

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
  return async (signal) => {
    const { path, owner, objects, isolation, maxDiskBytes } = options
    const folder = join(options.folder, 'check')
    const workspace = await createWorkspace({
      ...{
        folder,
        template: agentWorkspace.files,
        changes: [],
        objects,
        path,
        owner,
        isolation,
        maxDiskBytes,
      },
    })
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
    enclosure: isolation && { isolation, own: folder, readOnly: [trusted, programs] },
  })
  signal.throwIfAborted()
  const secrets = Object.values(passedEnvironment)
  return findFault(outcome, secrets) ?? (await findUnmet(line, { folder: files, outcome, secrets }))
}
