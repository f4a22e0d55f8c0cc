import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DiskAllowance } from '../../src/process/disk/disk-allowance.ts'
import { findIsolation } from '../../src/process/isolation/find-isolation.ts'
import type { IsolatedLevel } from '../../src/process/isolation/isolation.ts'
import { type GroupOutcome, runGroup, shellArgv } from '../../src/process/run-group.ts'
import { aRequest } from './enclosed-run.ts'

const MEGABYTE = 1024 ** 2
const path = process.env.PATH ?? ''

/** Shell lines that run one after the other in one folder, with one allowance. */
export interface DiskTrial {
  readonly place: string
  readonly lines: readonly string[]
  readonly maxMegabytes?: number
  readonly level?: IsolatedLevel
  /** How much the folder holds before anything runs: the same as what it was copied from. */
  readonly copiedMegabytes?: number
  readonly measureEveryMs?: number
}

/** Runs them, and tells how each ended. */
export async function runDiskTrial(trial: DiskTrial): Promise<GroupOutcome[]> {
  const { place, lines, maxMegabytes = 20, level, copiedMegabytes = 0, measureEveryMs } = trial
  const [folder, template] = [join(place, 'own'), join(place, 'template')]
  for (const each of [folder, template]) {
    mkdirSync(each)
    writeFileSync(join(each, 'copied'), Buffer.alloc(copiedMegabytes * MEGABYTE, 1))
  }
  const search = level && (await findIsolation(aRequest(place, { levels: [level] })))
  if (search?.status === 'unavailable') throw new Error(search.detail)
  const isolation = search?.isolation
  await isolation?.give(folder)
  const maxBytes = maxMegabytes * MEGABYTE
  const disk = await DiskAllowance.open({ folder, template, path, isolation, maxBytes, measureEveryMs })
  const enclosure = isolation && { isolation, own: folder, readOnly: [] }
  const limits = { timeoutMs: 60_000, maxOutputBytes: 10_000, disk }
  const outcomes: GroupOutcome[] = []
  for (const line of lines)
    outcomes.push(
      await runGroup({ argv: shellArgv(line), cwd: folder, env: { PATH: path }, enclosure, ...limits }),
    )
  return outcomes
}
