import { onTestFinished } from 'vitest'
import type { LedgerEntry } from '../../src/core/campaign/ledger.ts'
import type { UsedIsolation } from '../../src/core/measuring/provenance.ts'
import { localFolders } from '../../src/local/local-folders.ts'
import { runLocally } from '../../src/local/local-run.ts'
import { openGit } from '../../src/store/open-git.ts'
import { anAgent } from '../support/agents/agents.ts'
import { aFolder, aRepository, gitEnvironment } from '../support/repository.ts'
import type { Attack } from './candidates/attacks.ts'
import { victimConfig, victimFiles, victimSettings } from './candidates/victim.ts'

export interface Circumstances {
  readonly settings?: object
  readonly files?: Readonly<Record<string, string>>
  readonly passedEnvironment?: Readonly<Record<string, string>>
  readonly home?: string
  readonly isolation?: 'auto' | 'namespace' | 'none'
}

/** Lets an agent try one attack after the other, each as a candidate of one campaign. */
export async function attackLocally(
  attacksIn: (repository: string) => readonly Attack[],
  { passedEnvironment = {}, home = process.env.HOME ?? '', isolation = 'auto', ...other }: Circumstances = {},
) {
  const repository = aRepository({ ...victimFiles(), ...other.files })
  const attacks = attacksIn(repository)
  const git = await openGit(repository, gitEnvironment)
  onTestFinished(() => git.close())
  const cache = aFolder()
  const victim = victimConfig(other.settings ?? victimSettings({ candidates: attacks.length }))
  const config = { ...victim, evaluation: { ...victim.evaluation, isolation } }
  let next = -1
  const agent = anAgent((folder, { rework }) => {
    // Sent back to mend its work, it does the same again.
    if (rework === undefined) next++
    attacks[next]?.work(folder)
  })
  const used: UsedIsolation[] = []
  const snapshot = await runLocally({
    git,
    config,
    agent,
    folders: localFolders(git.repository, cache, config.name),
    parallel: 1,
    path: process.env.PATH ?? '',
    home,
    passedEnvironment,
    signal: new AbortController().signal,
    reporter: {
      started: (_, __, found) => void used.push(found),
      finished: () => undefined,
      warned: () => undefined,
    },
  })
  const entries: LedgerEntry[] = []
  for await (const entry of git.store.readLedger(snapshot)) entries.push(entry)
  return { entries, cache, names: attacks.map(({ name }) => name), isolation: used[0] }
}
