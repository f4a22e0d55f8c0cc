import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { LedgerEntry } from '../../src/core/campaign.ts'
import { runLocally } from '../../src/local/local-run.ts'
import { openGit } from '../../src/local/open-git.ts'
import { placesOf } from '../../src/local/places.ts'
import { anAgent } from '../support/agents.ts'
import { findEvaluatorProcesses } from '../support/cli.ts'
import { aFolder, aRepository, gitEnvironment } from '../support/repository.ts'
import { ATTACKS, type Attack, describeEnd } from './attacks.ts'
import { victimConfig, victimFiles } from './victim.ts'

describe('hostile candidates in the local host', () => {
  it(`${ATTACKS.length} of them end as they must, each by its name`, async () => {
    // Some look for a key: the host has one, as the agent needs it.
    vi.stubEnv('MODEL_KEY', 'a key')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { entries, cache } = await attack(ATTACKS)
    const ends = ATTACKS.map(({ name }, index) => [name, describeEnd(entries[index + 1])])
    // What fits the shown inputs is found out when it is confirmed, see action.slow.test.ts.
    expect(ends).toEqual(ATTACKS.map(({ name, end }) => [name, end === 'fitted' ? 'scored 1' : end]))
    expect(findEvaluatorProcesses(cache)).toEqual([])
  }, 300_000)

  it('that look for a key would gain from one', async () => {
    const seekers = ATTACKS.filter(({ name }) => name.endsWith('a key'))
    const { entries } = await attack(seekers, { MODEL_KEY: 'a key' })
    const candidates = entries.slice(1, 1 + seekers.length)
    expect(candidates.map(describeEnd), 'before the winner is measured again').toEqual([
      'scored 1',
      'scored 1',
    ])
  }, 60_000)

  it('are at least thirty, with different names', () => {
    expect(new Set(ATTACKS.map(({ name }) => name)).size).toBeGreaterThanOrEqual(30)
  })
})

/** Lets an agent try one attack after the other, each as a candidate of one campaign. */
async function attack(
  attacks: readonly Attack[],
  passedEnvironment: Readonly<Record<string, string>> = {},
): Promise<{ entries: LedgerEntry[]; cache: string }> {
  const git = await openGit(aRepository(victimFiles()), gitEnvironment)
  onTestFinished(() => git.close())
  const cache = aFolder()
  const config = victimConfig(attacks.length)
  let next = -1
  const agent = anAgent((folder, { rework }) => {
    // Sent back to mend its work, it does the same again.
    if (rework === undefined) next++
    attacks[next]?.work(folder)
  })
  const snapshot = await runLocally({
    git,
    config,
    agent,
    places: placesOf(git.repository, cache, config.name),
    parallel: 1,
    path: process.env.PATH ?? '',
    passedEnvironment,
    signal: new AbortController().signal,
    reporter: { started: () => undefined, finished: () => undefined, warned: () => undefined },
  })
  const entries: LedgerEntry[] = []
  for await (const entry of git.store.readLedger(snapshot)) entries.push(entry)
  return { entries, cache }
}
