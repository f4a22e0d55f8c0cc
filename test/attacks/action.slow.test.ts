import { describe, expect, it, onTestFinished } from 'vitest'
import { proposalOf } from '../e2e/action-box.ts'
import { openFolders } from '../e2e/open-folders.ts'
import { startAttackBox } from './attack-box.ts'
import { ATTACKS, describeEnd } from './candidates/attacks.ts'
import { aBurner, findBurners, NOISY_VICTIM } from './candidates/daemon.ts'
import { OPEN_VICTIMS, openSettings } from './candidates/open-victims.ts'
import { ROOT_SCORE } from './candidates/victim.ts'

// A maintainer who hands a key to the step that measures: candidate code must not see it even so.
const withKey = (template: string): string =>
  template.replace('      - name: Measure\n', '      - name: Measure\n        env: { MODEL_KEY: a key }\n')

describe('hostile candidates through the action', () => {
  it(`${ATTACKS.length} of them end as they must, each by its name`, async () => {
    const { run } = await startAttackBox(ATTACKS, { editTemplate: withKey })
    const runs = await Promise.all(ATTACKS.map((_, index) => run(index + 1)))
    const ends = ATTACKS.map(({ name }, index) => [name, describeEnd(runs[index]?.entry)])
    const expected = ATTACKS.map(({ name, end }) => [name, end === 'fitted' ? 'scored 1' : end])
    expect(ends).toEqual(expected)
    // What the agent of a refused candidate did can be read.
    const proposals = runs.map(({ finished }) => proposalOf(finished).outcome)
    expect(proposals.filter(({ transcript }) => !/attack \d+/.test(transcript))).toEqual([])
  }, 600_000)

  it.each(OPEN_VICTIMS)(
    'candidates gain nothing from an evaluator that $name',
    async ({ attacks, evaluation, files }) => {
      const settings = openSettings(evaluation)
      const { run } = await startAttackBox(attacks, { settings, files })
      const runs = await Promise.all(attacks.map((_, index) => run(index + 1)))
      expect(attacks.map(({ name }, index) => [name, describeEnd(runs[index]?.entry)])).toEqual(
        attacks.map(({ name, end }) => [name, end]),
      )
    },
    120_000,
  )

  it('candidates that memorise the known inputs do not beat the root on held-out inputs', async () => {
    const fitted = ATTACKS.filter(({ end }) => end === 'fitted')
    const { run } = await startAttackBox(fitted)
    const ends: unknown[] = []
    for (const [index] of fitted.entries()) {
      const { outcome } = (await run(fitted.length + index + 1)).finished.result ?? {}
      const samples = outcome?.status === 'measured' ? outcome.samples : [outcome]
      ends.push(samples)
    }
    const sample = (stage: string, subject: string, score: number) => ({ stage, subject, metrics: { score } })
    expect(ends).toMatchObject([
      [
        sample('full', 'candidate', 1),
        sample('held-out', 'root', ROOT_SCORE),
        sample('held-out', 'candidate', ROOT_SCORE),
        sample('held-out', 'candidate', ROOT_SCORE),
        sample('held-out', 'root', ROOT_SCORE),
      ],
      [
        {
          status: 'failed',
          reason: 'evaluation-failed',
          detail: expect.stringMatching(/^it failed on the held-out/),
        },
      ],
    ])
  }, 120_000)
})

describe("a daemon that is left for the root's turn on a runner", () => {
  /** What the root's runs gave, interleaved with those of a candidate that leaves a daemon without a trace each time. */
  async function burn(isolation: 'namespace' | 'user' | 'none') {
    onTestFinished(() => {
      for (const pid of findBurners()) process.kill(pid, 'SIGKILL')
    })
    const { files, evaluation, rootRuns } = NOISY_VICTIM
    const settings = openSettings({ ...evaluation, isolation })
    const { run } = await startAttackBox([aBurner('without a trace')], {
      ...{ settings, files, rootRuns, editTemplate: openFolders },
    })
    const { entry } = await run(1)
    const turns = entry.runs?.root.map(([score]) => score ?? Number.NaN) ?? []
    const [high = Number.NaN] = entry.interval?.high ?? []
    return { turns, high, alive: findBurners().length }
  }

  // In namespaces the evaluator could not see it, alive or not: what is left of it is looked for from outside.
  it.each(['namespace', 'user'] as const)(
    'a daemon dies before the next run at the level %s and gains nothing',
    async (level) => {
      const { turns, high, alive } = await burn(level)
      expect(turns.length).toBeGreaterThanOrEqual(6)
      expect(turns.filter((score) => !(score > 0.4))).toEqual([])
      expect(high).toBeLessThan(0.55)
      expect(alive).toBe(0)
    },
    300_000,
  )

  it('a daemon survives without isolation and makes the candidate look twice as good', async () => {
    const { turns, high, alive } = await burn('none')
    expect(turns.filter((score) => score < 0.3).length).toBeGreaterThan(turns.length / 2)
    expect(high).toBeGreaterThan(0.8)
    expect(alive).toBeGreaterThan(0)
  }, 300_000)
})
