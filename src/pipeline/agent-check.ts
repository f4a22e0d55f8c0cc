import { join } from 'node:path'
import type { CheckOutcome } from '../agents/agent.ts'
import type { GateConfig } from '../config/campaign-config.ts'
import { createCleanEnvironment } from '../process/clean-environment.ts'
import { runGroup, shellArgv } from '../process/run-group.ts'
import { findFault } from './evaluate.ts'
import type { ProposalOrder } from './propose.ts'
import { createWorkFolder, type WorkFolder } from './work-folder.ts'

/** What the work of an agent is tried with before it is handed on. */
export interface AgentChecks {
  /** The maintainer's quick check, which the agent may run too. */
  readonly own?: GateConfig | undefined
  readonly gates: readonly GateConfig[]
}

const MAX_OUTPUT_BYTES = 256 * 1024

/**
 * Runs commands, one after the other, on a copy of the agent's folder: what they leave behind is no part of the
 * candidate. They run the candidate's code, so they get the same enclosure as an evaluation, and no key.
 */
export function createCheck(
  order: ProposalOrder,
  agentFolder: WorkFolder,
  lines: readonly GateConfig[],
): (signal: AbortSignal) => Promise<CheckOutcome> {
  return async (signal) => {
    const { path, owner, objects, isolation, maxDiskBytes } = order
    const place = join(order.place, 'check')
    const folder = await createWorkFolder({
      ...{ place, template: agentFolder.files, changes: [], objects, path, owner, isolation, maxDiskBytes },
    })
    try {
      for (const line of lines) {
        const fault = await runLine(order, { folder, signal }, line)
        if (fault !== undefined) return { passed: false, output: `${line.name}: ${fault}` }
      }
      return { passed: true, output: '' }
    } finally {
      await folder.remove()
    }
  }
}

async function runLine(
  { path, owner, isolation, workshop, passedEnvironment }: ProposalOrder,
  { folder, signal }: { readonly folder: WorkFolder; readonly signal: AbortSignal },
  { command, timeoutSeconds }: GateConfig,
): Promise<string | undefined> {
  const { trusted } = workshop
  const { files, home, temp, place } = folder
  const extra = { ...passedEnvironment, LORELEY_TRUSTED: trusted }
  const outcome = await runGroup({
    argv: shellArgv(command),
    cwd: files,
    env: createCleanEnvironment({ path, home, temp, extra }),
    timeoutMs: timeoutSeconds * 1000,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    signal,
    owner,
    disk: folder.disk,
    enclosure: isolation && { isolation, own: place, readOnly: [trusted] },
  })
  signal.throwIfAborted()
  return findFault(outcome, Object.values(passedEnvironment))
}
