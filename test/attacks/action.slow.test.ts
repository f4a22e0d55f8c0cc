import { describe, expect, it } from 'vitest'
import { proposalOf } from '../e2e/action-box.ts'
import { startAttackBox } from './attack-box.ts'
import { ATTACKS, describeEnd } from './attacks.ts'
import { ROOT_SCORE } from './victim.ts'

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
  }, 300_000)

  it('that know the shown inputs by heart are no better than the root on those held out', async () => {
    const fitted = ATTACKS.filter(({ end }) => end === 'fitted')
    const { run } = await startAttackBox(fitted)
    for (const [index] of fitted.entries()) {
      const { finished } = await run(fitted.length + index + 1)
      const outcome = finished.result?.outcome
      const samples = outcome?.status === 'measured' ? outcome.samples : []
      expect(samples.map(({ subject, stage, metrics }) => [stage, subject, metrics.score])).toEqual([
        ['full', 'candidate', 1],
        ['held-out', 'root', ROOT_SCORE],
        ['held-out', 'candidate', ROOT_SCORE],
      ])
    }
  }, 120_000)
})
