import { describe, expect, it } from 'vitest'
import { aCampaign, aConfig, aResult, LESS_TIME, MORE_SCORE } from '../../support/builders.ts'
import { BASELINE, finished, playOut, step } from '../../support/campaign-steps.ts'

type Figures = readonly [score: number, time: number, x: number]

/** A campaign on GitHub whose candidates measure these figures, and the same when they are confirmed. */
function played(objectives: readonly (typeof MORE_SCORE)[], figures: readonly Figures[], openPulls = 3) {
  const limits = { candidates: figures.length - 1, openPulls }
  const config = aConfig({ objectives, limits })
  const metricsOf = (ordinal: number) => {
    const [score = 0, time = 0, x = 0] = figures[ordinal] ?? []
    return { score, time, x, y: 0 }
  }
  const begin = step(
    aCampaign({ config, order: 'arrival' }),
    finished(0, { ...BASELINE, metrics: metricsOf(0) }),
  ).state
  const done = playOut(begin, ({ ordinal, kind, parent }) =>
    aResult(ordinal, { metrics: metricsOf(kind === 'confirm' ? parent.ordinal : ordinal) }),
  )
  return done.campaign.control.pulls.map(({ candidate, status }) => [candidate.ordinal, status])
}

const TRADE_OFFS: readonly Figures[] = [
  [5, 5, 0],
  [9, 9, 0.1],
  [1, 1, 0.5],
  [7, 4, 0.9],
  [6, 6, 0.6],
]

describe('what is offered at the end', () => {
  it('the winner is the best candidate if there is one objective', () => {
    expect(played([MORE_SCORE], TRADE_OFFS)).toEqual([[1, 'confirmed']])
  })

  it('the winners are the best on each objective, then other non-dominated trade-offs', () => {
    expect(played([MORE_SCORE, LESS_TIME], TRADE_OFFS)).toEqual([
      [1, 'confirmed'],
      [2, 'confirmed'],
      [3, 'confirmed'],
    ])
  })

  it('there are no more winners than may be open at once', () => {
    expect(played([MORE_SCORE, LESS_TIME], TRADE_OFFS, 2).map(([ordinal]) => ordinal)).toEqual([1, 2])
  })

  it('comes from different cells', () => {
    const neighbours: readonly Figures[] = [
      [5, 5, 0.9],
      [9, 9, 0],
      [1, 1, 0],
    ]
    expect(played([MORE_SCORE, LESS_TIME], neighbours).map(([ordinal]) => ordinal)).toEqual([1])
  })
})
