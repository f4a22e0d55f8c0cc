import type { CampaignState } from '../src/core/campaign/campaign.ts'
import { type Bench, type BenchReport, rounded } from './bench.ts'
import { NoOpCampaign } from './no-op-campaign.ts'
import { NOISES, type NoiseKind, UNSEEN_NOISES } from './noise.ts'

const GAINS = [0.01, 0.02, 0.05, 0.1]
const WARM = 60

/**
 * How often a change without effect is taken for a better one, and how often a true gain is found, with the engine's
 * own admission and sampling plan at their defaults, beside what accepting any better mean would do.
 */
export const aaBench: Bench = {
  about: 'false admissions of changes without effect, and the power to find true gains',
  run: async ({ quick, log }) => {
    const figuresOf = (noise: NoiseKind): NoiseFigures => {
      log(`${noise}: changes without effect, then true gains…`)
      return tryNoise(noise, { campaigns: quick ? 4 : 20, planted: quick ? 60 : 400 })
    }
    return report(NOISES.map(figuresOf), UNSEEN_NOISES.map(figuresOf))
  },
}

interface NoiseFigures {
  readonly noise: NoiseKind
  readonly candidates: number
  readonly false_admission_rate: number
  readonly naive_false_admission_rate: number
  readonly pairs_per_decision: number
  /** Of duels and of measuring again, a candidate. */
  readonly further_pairs: number
  readonly power: Readonly<Record<string, number>>
  /** All runs until a decision, of a candidate with a true gain and of what it was interleaved with. */
  readonly samples_for_gain: Readonly<Record<string, number>>
}

function tryNoise(
  noise: NoiseKind,
  { campaigns, planted }: { campaigns: number; planted: number },
): NoiseFigures {
  const totals = { candidates: 0, admitted: 0, naive: 0, pairs: 0, further: 0 }
  const states: CampaignState[] = []
  for (let seed = 1; seed <= campaigns; seed++) {
    const campaign = new NoOpCampaign(noise, seed)
    for (let candidate = 0; candidate < 250; candidate++) {
      if (candidate === WARM) states.push(campaign.state)
      const { falsely, naive, pairs, further } = campaign.next(0)
      totals.candidates++
      totals.admitted += falsely ? 1 : 0
      totals.naive += naive ? 1 : 0
      totals.pairs += pairs
      totals.further += further
    }
  }
  const planting = GAINS.map((gain) => plant(noise, { gain, planted, states }))
  const { candidates } = totals
  return {
    noise,
    candidates,
    false_admission_rate: rounded(totals.admitted / candidates, 4),
    naive_false_admission_rate: rounded(totals.naive / candidates, 4),
    pairs_per_decision: rounded(totals.pairs / candidates, 1),
    further_pairs: rounded(totals.further / candidates, 1),
    power: Object.fromEntries(planting.map(({ name, power }) => [name, power])),
    samples_for_gain: Object.fromEntries(planting.map(({ name, samples }) => [name, samples])),
  }
}

interface Planting {
  readonly gain: number
  readonly planted: number
  readonly states: readonly CampaignState[]
}

/** Puts candidates with a true gain into campaigns that know none: how many are found, and at what cost. */
function plant(noise: NoiseKind, { gain, planted, states }: Planting) {
  let found = 0
  let pairs = 0
  for (let trial = 0; trial < planted; trial++) {
    const outcome = new NoOpCampaign(noise, 1000 + trial, states[trial % states.length]).next(gain)
    found += outcome.found ? 1 : 0
    pairs += outcome.pairs + outcome.further
  }
  const samples = rounded((2 * pairs) / planted, 1)
  return { name: `${gain * 100}%`, power: rounded(found / planted, 3), samples }
}

function report(noises: readonly NoiseFigures[], unseen: readonly NoiseFigures[]): BenchReport {
  const most = (all: readonly NoiseFigures[], of: (figures: NoiseFigures) => number): number =>
    Math.max(...all.map(of))
  const falseRate = (figures: NoiseFigures): number => figures.false_admission_rate
  const leastPower = (all: readonly NoiseFigures[]): number =>
    Math.min(...all.map((figures) => figures.power['5%'] ?? 0))
  return {
    headline: {
      false_admission_rate: most(noises, falseRate),
      naive_false_admission_rate: Math.min(...noises.map((figures) => figures.naive_false_admission_rate)),
      power_5pct: leastPower(noises),
      samples_per_decision: most(noises, (figures) => rounded(2 * figures.pairs_per_decision, 1)),
      unseen_false_admission_rate: most(unseen, falseRate),
      unseen_power_5pct: leastPower(unseen),
    },
    details: { noises, unseen },
  }
}
