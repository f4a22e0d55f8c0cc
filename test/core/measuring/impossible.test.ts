import { expect, it } from 'vitest'
import { aCampaign, aConfig } from '../../support/builders.ts'
import { finished, stepWithHistory } from '../../support/campaign-steps.ts'
import { begunNoisily, measured, turns } from '../../support/noisy.ts'

const config = aConfig({ objectives: [{ metric: 'score', direction: 'maximize', max: 150 }] })

/** The verdict on a candidate of a noisy campaign, one of whose runs gave another score. */
function verdictWith(
  spoiled: { readonly subject: 'root' | 'candidate'; readonly score: number } | undefined,
) {
  const samples = turns(0.001)
  const at = samples.findIndex(({ subject }) => subject === spoiled?.subject)
  const changed = samples.map((sample, index) =>
    index === at ? { ...sample, metrics: { ...sample.metrics, score: spoiled?.score ?? 0 } } : sample,
  )
  const start = begunNoisily(aCampaign({ config }))
  const { state } = stepWithHistory(start, finished(1, measured(1, changed)))
  return state.ledger.tail.at(-1)?.verdict
}

it('a change without effect is a close call at most', () => {
  expect(verdictWith(undefined)).toMatchObject({ status: 'refused', reason: 'close-call' })
})

it('refuses a candidate for one impossible number of its own', () => {
  expect(verdictWith({ subject: 'candidate', score: 151 })).toMatchObject({ reason: 'metric-out-of-bounds' })
})

it('an impossible number of the interleaved root does not make a candidate exact', () => {
  expect(verdictWith({ subject: 'root', score: 151 })).toEqual({
    status: 'refused',
    reason: 'infrastructure',
    detail: 'the root, interleaved with it: metric-out-of-bounds: score',
  })
})
