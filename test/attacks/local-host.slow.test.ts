import { readdirSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { hasNamespaces, hasUserNamespaces } from '../process/enclosed-run.ts'
import { findEvaluatorProcesses } from '../support/cli.ts'
import { ATTACKS, describeEnd } from './candidates/attacks.ts'
import { aBurner, findBurners, NOISY_VICTIM } from './candidates/daemon.ts'
import { attacksOn, findDaemons, findTraces, surround } from './candidates/on-the-machine.ts'
import { OPEN_VICTIMS, openSettings } from './candidates/open-victims.ts'
import { victimSettings } from './candidates/victim.ts'
import { attackLocally } from './local-attack.ts'

describe('hostile candidates in the local host', () => {
  it(`${ATTACKS.length} of them end as they must, each by its name`, async () => {
    // Some look for a key: the host has one, as the agent needs it.
    vi.stubEnv('MODEL_KEY', 'a key')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { entries, cache } = await attackLocally(() => ATTACKS)
    const ends = ATTACKS.map(({ name }, index) => [name, describeEnd(entries[index + 1])])
    // What fits the shown inputs is found out when it is confirmed, see action.slow.test.ts.
    expect(ends).toEqual(ATTACKS.map(({ name, end }) => [name, end === 'fitted' ? 'scored 1' : end]))
    expect(findEvaluatorProcesses(cache)).toEqual([])
    expect(readdirSync(cache, { recursive: true }).filter((path) => /filler/.test(`${path}`))).toEqual([])
  }, 300_000)

  it('candidates that fill the disk run into their time limit without a disk limit', async () => {
    const fillers = ATTACKS.filter(({ name }) => name.startsWith('fills the disk'))
    const settings = victimSettings({ candidates: fillers.length, maxDiskMb: 4096 })
    const { entries } = await attackLocally(() => fillers, { settings })
    expect(entries.slice(1, 1 + fillers.length).map(describeEnd)).toEqual(
      fillers.map(() => ({ refused: 'evaluation-timed-out' })),
    )
  }, 120_000)

  it('candidates that look for a key would profit from one', async () => {
    const seekers = ATTACKS.filter(({ name }) => name.endsWith('a key'))
    const { entries } = await attackLocally(() => seekers, { passedEnvironment: { MODEL_KEY: 'a key' } })
    const candidates = entries.slice(1, 1 + seekers.length)
    expect(candidates.map(describeEnd), 'before the winner is measured again').toEqual([
      'scored 1',
      'scored 1',
    ])
  }, 60_000)

  it.each(OPEN_VICTIMS)(
    'candidates gain nothing from an evaluator that $name',
    async ({ attacks, evaluation, files }) => {
      const settings = openSettings(evaluation, attacks.length)
      const { entries } = await attackLocally(() => attacks, { settings, files })
      expect(attacks.map(({ name }, index) => [name, describeEnd(entries[index + 1])])).toEqual(
        attacks.map(({ name, end }) => [name, end]),
      )
    },
    120_000,
  )

  it.each(OPEN_VICTIMS)(
    'candidates would gain from a careless evaluator that $name',
    async ({ attacks, careless, files }) => {
      const settings = openSettings(careless, attacks.length)
      const { entries } = await attackLocally(() => attacks, { settings, files })
      expect(attacks.map(({ name }, index) => [name, describeEnd(entries[index + 1])])).toEqual(
        attacks.map(({ name }) => [name, 'scored 1']),
      )
    },
    120_000,
  )
})

describe('what attacks the machine around a campaign', () => {
  it.runIf(hasNamespaces || hasUserNamespaces)(
    'an isolated attack on the machine gets nothing and leaves nothing',
    async () => {
      const around = await surround()
      const { entries, names, isolation } = await attackLocally(
        (repository) => attacksOn(around, repository),
        around,
      )
      expect(isolation).toMatchObject({ level: 'namespace', network: 'none' })
      expect(names.map((name, index) => [name, describeEnd(entries[index + 1])])).toEqual(
        names.map((name) => [name, name === 'leaves a daemon without a trace' ? 'scored 1' : 'harmless']),
      )
      expect(
        entries.every((entry) => entry.metrics === undefined || entry.isolation?.level === 'namespace'),
      ).toBe(true)
      expect(findTraces(around)).toEqual([])
    },
    120_000,
  )

  it('an attack on the machine succeeds without isolation', async () => {
    const around = await surround()
    onTestFinished(() => {
      for (const pid of findDaemons()) process.kill(pid, 'SIGKILL')
    })
    const { entries, names, isolation } = await attackLocally((repository) => attacksOn(around, repository), {
      ...around,
      isolation: 'none',
    })
    expect(isolation).toEqual({ level: 'none', network: 'host' })
    expect(names.map((name, index) => [name, describeEnd(entries[index + 1])])).toEqual(
      names.map((name) => [name, 'scored 1']),
    )
    expect(findTraces(around)).toEqual(['a profile', 'a tool', 'a daemon'])
  }, 120_000)
})

describe("a daemon that is left for the root's turn", () => {
  /** What the root's runs gave, interleaved with those of a candidate that leaves a daemon each time. */
  async function burn(how: 'plain' | 'without a trace') {
    onTestFinished(() => {
      for (const pid of findBurners()) process.kill(pid, 'SIGKILL')
    })
    const settings = openSettings(NOISY_VICTIM.evaluation, 1)
    // Without isolation: inside of namespaces the evaluator would not see it, alive or not.
    const circumstances = { settings, files: NOISY_VICTIM.files, isolation: 'none' } as const
    const { entries } = await attackLocally(() => [aBurner(how)], circumstances)
    const [, candidate] = entries
    const turns = candidate?.runs?.root.map(([score]) => score) ?? []
    const [high = Number.NaN] = candidate?.interval?.high ?? []
    return { turns, high }
  }

  it('a daemon dies before the next run and gains nothing', async () => {
    const { turns, high } = await burn('plain')
    expect(turns.length).toBeGreaterThanOrEqual(6)
    expect(turns.filter((score) => !(score !== undefined && score > 0.4))).toEqual([])
    expect(high).toBeLessThan(0.55)
    expect(findBurners()).toEqual([])
  }, 300_000)

  it('a surviving daemon would make the candidate look twice as good', async () => {
    const { turns, high } = await burn('without a trace')
    expect(turns.filter((score) => score !== undefined && score < 0.3).length).toBeGreaterThan(
      turns.length / 2,
    )
    expect(high).toBeGreaterThan(0.8)
  }, 300_000)
})
