import { resolveCampaign } from '../src/config/resolve.ts'
import { campaignSchema } from '../src/config/schema/campaign.ts'
import { findBest } from '../src/core/archive.ts'
import { NO_USAGE } from '../src/core/budget.ts'
import type { CampaignState, Job, JobResult, LedgerEntry } from '../src/core/campaign.ts'
import { pairUp, type Sample } from '../src/core/measurement.ts'
import { planMeasurement } from '../src/core/measurement-plan.ts'
import { type Rng, rngFor } from '../src/core/rng.ts'
import { createCampaign } from '../src/core/start.ts'
import { decide } from '../src/core/stats/sampling.ts'
import { tick } from '../src/core/tick.ts'
import { type Bench, type BenchReport, rounded } from './bench.ts'
import { createMachine, NOISES, type NoiseKind } from './noise.ts'

const GAINS = [0.01, 0.02, 0.05, 0.1]
const WARM = 60
const now = new Date('2026-01-01T00:00:00Z')

/**
 * How often a change without effect is taken for a better one, and how often a true gain is found, with the engine's
 * own admission and sampling plan at their defaults, beside what accepting any better mean would do.
 */
export const aaBench: Bench = {
  about: 'false admissions of changes without effect, and the power to find true gains',
  run: async ({ quick, log }) => {
    const noises = NOISES.map((noise) => {
      log(`${noise}: changes without effect, then true gains…`)
      return tryNoise(noise, { campaigns: quick ? 4 : 20, planted: quick ? 60 : 400 })
    })
    return report(noises)
  },
}

interface NoiseFigures {
  readonly noise: NoiseKind
  readonly candidates: number
  readonly false_admission_rate: number
  readonly naive_false_admission_rate: number
  readonly pairs_per_decision: number
  readonly power: Readonly<Record<string, number>>
}

function tryNoise(
  noise: NoiseKind,
  { campaigns, planted }: { campaigns: number; planted: number },
): NoiseFigures {
  const totals = { candidates: 0, admitted: 0, naive: 0, pairs: 0 }
  const states: CampaignState[] = []
  for (let seed = 1; seed <= campaigns; seed++) {
    const campaign = new NoOpCampaign(noise, seed)
    for (let candidate = 0; candidate < 250; candidate++) {
      if (candidate === WARM) states.push(campaign.state)
      const { admitted, naive, pairs } = campaign.next(0)
      totals.candidates++
      totals.admitted += admitted ? 1 : 0
      totals.naive += naive ? 1 : 0
      totals.pairs += pairs
    }
  }
  const power = GAINS.map((gain) => {
    let found = 0
    for (let trial = 0; trial < planted; trial++) {
      const state = states[trial % states.length]
      if (state !== undefined && new NoOpCampaign(noise, 1000 + trial, state).next(gain).admitted) found++
    }
    return [`${gain * 100}%`, rounded(found / planted, 3)] as const
  })
  const { candidates } = totals
  return {
    noise,
    candidates,
    false_admission_rate: rounded(totals.admitted / candidates, 4),
    naive_false_admission_rate: rounded(totals.naive / candidates, 4),
    pairs_per_decision: rounded(totals.pairs / candidates, 1),
    power: Object.fromEntries(power),
  }
}

interface Outcome {
  readonly admitted: boolean
  readonly naive: boolean
  readonly pairs: number
}

/** A campaign whose candidates change nothing, played through the engine's tick with simulated runs. */
class NoOpCampaign {
  state: CampaignState
  readonly #rng: Rng
  readonly #noise: NoiseKind
  /** What "any better mean" would hold: the mean of each cell's holder. */
  readonly #means = new Map<string, number>()

  constructor(noise: NoiseKind, seed: number, state?: CampaignState) {
    this.#noise = noise
    this.#rng = rngFor(seed, 0, noise)
    this.state = state ?? this.#begin(seed)
  }

  #begin(seed: number): CampaignState {
    const config = resolveCampaign('aa', campaignSchema.parse(CONFIG))
    const root = { commit: '0'.repeat(40), tree: 'f'.repeat(40), seconds: 0 }
    const search = { ...config.search, seed }
    const fresh = createCampaign({
      id: 'aa',
      config: { ...config, search },
      order: 'arrival',
      root,
      reserved: NO_USAGE,
      evaluator: '0'.repeat(64),
    })
    const machine = createMachine(this.#noise, this.#rng)
    const samples = Array.from({ length: 12 }, () => sample('candidate', machine(), [0, 0]))
    const metrics = { speed: 1, x: 0, y: 0 }
    return play(fresh, 0, measured(0, metrics, samples))
  }

  /** One more candidate with the given true gain; what is to be measured again, and duels, come after it. */
  next(gain: number): Outcome {
    const job = [...this.state.jobs.values()].find(({ kind }) => kind === 'candidate')
    if (job === undefined) throw new RangeError('next: the campaign has no open job')
    const samples = this.#measure(job, gain)
    const before = findBest(this.state.archive, this.state.config.objectives)
    const metrics = samples.find(({ subject }) => subject === 'candidate')?.metrics ?? {}
    this.state = play(this.state, job.ordinal, measured(job.ordinal, metrics, samples))
    const entry = this.state.ledger.tail.at(-1)
    const first = findBest(this.state.archive, this.state.config.objectives)
    this.#measureAgain(gain)
    const best = findBest(this.state.archive, this.state.config.objectives)
    const improved = entry?.verdict.status === 'admitted' && entry.verdict.as === 'improved'
    const { verdict } = this.state.ledger.tail.at(-1) ?? {}
    const won = verdict?.status === 'duelled' && verdict.won
    return {
      admitted: improved || won || [first, best].some((elite) => elite?.ordinal !== before?.ordinal),
      naive: this.#isNaivelyBetter(entry, samples),
      pairs: samples.length / 2,
    }
  }

  // Only the candidate just finished has its gain; all that came before it have none.
  #measureAgain(gain: number): void {
    for (;;) {
      const again = [...this.state.jobs.values()].find(({ kind }) => kind === 'confirm')
      if (again === undefined) return
      const isNewest = again.parent.ordinal === Math.max(...this.#candidates())
      const samples = this.#measure(again, isNewest ? gain : 0)
      const metrics = samples.find(({ subject }) => subject === 'candidate')?.metrics ?? {}
      this.state = play(this.state, again.ordinal, measured(again.parent.ordinal, metrics, samples))
    }
  }

  #candidates(): number[] {
    return this.state.ledger.tail.flatMap(({ kind, ordinal }) => (kind === 'candidate' ? [ordinal] : [0]))
  }

  #measure(job: Job, gain: number): Sample[] {
    const plan = planMeasurement(
      { ...this.state, config: { ...this.state.config, evaluation: EVALUATION } },
      job,
    )
    if (plan.kind !== 'paired') throw new RangeError('the simulated evaluator is not noisy')
    const machine = createMachine(this.#noise, this.#rng)
    const place = [this.#rng.unit(), this.#rng.unit()]
    const samples: Sample[] = []
    for (;;) {
      for (const subject of [plan.against, 'candidate', 'candidate', plan.against] as const) {
        samples.push(sample(subject, machine() * (subject === 'candidate' ? 1 + gain : 1), place))
      }
      if (
        decide(pairUp(samples, 'speed', 'full', plan.against).differences, plan.bar, plan.sampling) !== 'more'
      )
        return samples
    }
  }

  #isNaivelyBetter(entry: LedgerEntry | undefined, samples: readonly Sample[]): boolean {
    const cell = entry !== undefined && 'cell' in entry.verdict ? entry.verdict.cell : ''
    const own = samples.filter(({ subject }) => subject === 'candidate')
    const mean = own.reduce((sum, { metrics }) => sum + (metrics.speed ?? 0), 0) / own.length
    const holder = this.#means.get(cell)
    const best = Math.max(1, ...this.#means.values())
    if (holder === undefined || mean > holder) this.#means.set(cell, mean)
    return (holder !== undefined && mean > holder) || mean > best
  }
}

const CONFIG = {
  goal: 'Faster.',
  scope: { editable: ['**'] },
  objectives: [{ metric: 'speed', direction: 'maximize' }],
  evaluation: { command: 'true' },
  search: {
    cells: 16,
    axes: [
      { metric: 'x', min: 0, max: 1 },
      { metric: 'y', min: 0, max: 1 },
    ],
  },
  limits: { candidates: 1000 },
}
const EVALUATION = resolveCampaign('aa', campaignSchema.parse(CONFIG)).evaluation

function sample(subject: Sample['subject'], speed: number, [x = 0, y = 0]: readonly number[]): Sample {
  return { subject, stage: 'full', metrics: { speed, x, y } }
}

function measured(ordinal: number, metrics: Sample['metrics'], samples: readonly Sample[]): JobResult {
  const id = ordinal.toString(16).padStart(40, '0')
  const change = { files: 1, linesAdded: 1, linesRemoved: 0 }
  return { status: 'measured', commit: id, tree: id, metrics, samples, change, summary: '', usage: NO_USAGE }
}

function play(state: CampaignState, ordinal: number, result: JobResult): CampaignState {
  const parts = new Map(state.trees)
  if (result.tree !== undefined && !parts.has(result.tree.slice(0, 2)))
    parts.set(result.tree.slice(0, 2), new Map())
  let ticked = tick({ ...state, trees: parts }, [{ type: 'finished', ordinal, attempt: 1, result }], now)
  while (ticked.effects.some(({ type }) => type === 'need-history'))
    ticked = tick(ticked.state, [{ type: 'history', entries: ticked.state.ledger.tail }], now)
  return ticked.state
}

function report(noises: readonly NoiseFigures[]): BenchReport {
  const worst = (of: (figures: NoiseFigures) => number): number => Math.max(...noises.map(of))
  return {
    headline: {
      false_admission_rate: worst((figures) => figures.false_admission_rate),
      naive_false_admission_rate: Math.min(...noises.map((figures) => figures.naive_false_admission_rate)),
      power_5pct: Math.min(...noises.map((figures) => figures.power['5%'] ?? 0)),
      samples_per_decision: worst((figures) => rounded(2 * figures.pairs_per_decision, 1)),
    },
    details: { noises },
  }
}
