import type { CampaignState } from '../../src/core/campaign/campaign.ts'
import type { Sample, Stage } from '../../src/core/measuring/measurement.ts'
import { aResult } from './builders.ts'
import { begun } from './campaign-steps.ts'

// How runs of the same files differ, block by block. It averages out.
const WOBBLE = [1, 1.02, 0.98, 1.01, 0.99, 1.03, 0.97, 1, 1.015, 0.985]

/** Runs of a candidate, interleaved with another in blocks. `gain` is how much better it is, as a share. */
export function turns(
  gain: number,
  {
    stage = 'full',
    against = 'root',
    wobble = 1,
  }: { stage?: Stage; against?: 'root' | 'rival'; wobble?: number } = {},
): Sample[] {
  const sample = (subject: Sample['subject'], score: number): Sample => ({
    subject,
    stage,
    metrics: { score, x: 0.5, y: 0.5 },
  })
  return WOBBLE.flatMap((factor, index) => {
    const noise = 1 + wobble * (factor - 1)
    const other = 1 + wobble * ((WOBBLE[(index + 3) % WOBBLE.length] ?? 1) - 1)
    return [
      sample(against, 100 * noise),
      sample('candidate', 100 * (1 + gain) * other),
      sample('candidate', 100 * (1 + gain) * noise),
      sample(against, 100 * other),
    ]
  })
}

/** What a measurement of a candidate gives where numbers vary; `x` is where it belongs. */
export function measured(name: number, samples: readonly Sample[], x = 0.5): ReturnType<typeof aResult> {
  const placed = samples.map((sample) => ({ ...sample, metrics: { ...sample.metrics, x } }))
  const own = placed.find(({ subject }) => subject === 'candidate')
  return aResult(name, { metrics: own?.metrics ?? {}, samples: placed })
}

/** The campaign after its root was measured with numbers that vary. */
export function begunNoisily(state: CampaignState, wobble = 1): CampaignState {
  const samples = WOBBLE.map((factor) => ({
    subject: 'candidate' as const,
    stage: 'full' as const,
    metrics: { score: 100 * (1 + wobble * (factor - 1)), x: 0.5, y: 0.5 },
  }))
  const { commit, tree } = state.campaign.root
  return begun(state, aResult(0, { commit, tree, metrics: { score: 100, x: 0.5, y: 0.5 }, samples }))
}
