import { describe, expect, it } from 'vitest'
import type { CampaignState } from '../../src/core/campaign/campaign.ts'
import type { Job } from '../../src/core/campaign/job.ts'
import type { LedgerEntry } from '../../src/core/campaign/ledger.ts'
import type { Sample } from '../../src/core/measuring/measurement.ts'
import { findLater, findLineage } from '../../src/core/planning/lineage.ts'
import { renderCandidate } from '../../src/reports/candidate/candidate-text.ts'
import { aCampaign, aConfig, aResult } from '../support/builders.ts'
import { begun, finished, stepWithHistory } from '../support/campaign-steps.ts'
import { begunNoisily, measured, turns } from '../support/noisy.ts'

const config = aConfig({ search: { window: 1 }, limits: { candidates: 1 } })

const look = (subject: Sample['subject'], score: number): Sample => ({
  subject,
  stage: 'quick',
  metrics: { score, x: 0.5, y: 0.5 },
})

function afterOne(gain: number): CampaignState {
  const samples = [look('root', 50), look('candidate', 61), ...turns(gain)]
  const start = begunNoisily(aCampaign({ config, order: 'arrival' }))
  return stepWithHistory(start, finished(1, measured(1, samples))).state
}

function again(state: CampaignState, purpose: Job['purpose']): CampaignState {
  const job = [...state.jobs.values()].find((open) => open.purpose === purpose)
  if (job === undefined) throw new Error(`nothing is measured again as ${purpose}`)
  const { commit, tree } = job.parent
  const samples = [...turns(0.28), ...turns(0.25, { stage: 'held-out' })]
  return stepWithHistory(state, finished(job.ordinal, { ...measured(0, samples), commit, tree })).state
}

/** What `loreley show` says about a candidate, from the section `measured` on. */
function shown({ ledger, ...rest }: CampaignState, ordinal: number): string {
  const state = { ledger, ...rest }
  const entries = new Map<number, LedgerEntry>(ledger.tail.map((entry) => [entry.ordinal, entry]))
  const entry = entries.get(ordinal)
  if (entry === undefined) throw new Error(`no candidate ${ordinal}`)
  const lineage = findLineage(entry, entries)
  const text = renderCandidate(state, { entry, lineage, again: findLater(entries, ordinal) })
  return text.slice(text.indexOf('measured\n'), text.indexOf('lineage\n'))
}

describe('how a candidate was measured', () => {
  it('shows a candidate pair by pair, with its interval and what that means', () => {
    expect(shown(afterOne(0.3), 1)).toMatchInlineSnapshot(`
      "measured
        score, quick run: 61, the root 50
        score: 20 pairs, interleaved with the root on one machine
          it        131.3  130    128.7  132.6  133.9  127.4  126.1  131.3  130    128.7
          the root  100    101    102    99     98     103    101    97     99     100
          ratio     1.313  1.287  1.262  1.339  1.366  1.237  1.249  1.354  1.313  1.287
          it        131.9  133.9  128.1  126.1  130  130  132.6  131.9  127.4  128.1
          the root  103    101.5  97     98.5   100  100  101.5  102    98.5   98
          ratio     1.281  1.319  1.32   1.28   1.3  1.3  1.306  1.294  1.293  1.307
        score is between 127.432 and 132.62 (confidence 0.998): +27.4 % to +32.6 % against the root, clearly better

      "
    `)
  })

  it('says when the difference is within the noise, and when it is clearly worse', () => {
    expect(shown(afterOne(0.0001), 1)).toContain('against the root, within the noise')
    expect(shown(afterOne(-0.3), 1)).toContain('against the root, clearly worse')
  })

  it('adds later measurements, on held-out inputs too', () => {
    const text = shown(again(afterOne(0.3), 'best'), 1)
    const later = text.slice(text.indexOf('demo-0002'))
    expect(later).toMatch(/^demo-0002: Confirmed: 0001 was measured again\n {2}metrics\n/)
    expect(later).toContain('    score, held-out: 20 pairs, interleaved with the root on one machine\n')
    expect(later).toContain('    Gain on held-out inputs: +25.0 %, on the known inputs: +28.0 %\n')
  })
})

describe('the root', () => {
  it('shows the root with its noise and its A/A test', () => {
    expect(shown(afterOne(0.3), 0)).toMatchInlineSnapshot(`
      "measured
        score: 10 runs
          it  100  102  98  101  99  103  97  100  101.5  98.5
        The root was measured 10 times: coefficient of variation 1.8 %, robust spread 2.2 %.
        A/A test: the root does not differ from itself, as it should.
        Candidates get up to 20 pairs. The interval of a verdict on the root itself would then reach 2.3 %, with a confidence of 0.998: greater gains stand out.
        That is precise enough for \`evaluation.sampling.smallest_gain\` (10 %).

      "
    `)
  })

  it('says that the root gave the same numbers in every run', () => {
    const run = { subject: 'candidate', stage: 'full', metrics: { score: 1, x: 0.5, y: 0.5 } } as const
    const samples = [run, run, run]
    const state = begun(aCampaign({ config }), aResult(0, { metrics: run.metrics, samples }))
    expect(shown(state, 0)).toContain(
      'The root gave the same numbers in 3 runs. Candidates are measured once.',
    )
  })
})
