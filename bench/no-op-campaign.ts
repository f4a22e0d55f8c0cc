import { resolveCampaign } from '../src/config/resolve.ts'
import { campaignSchema } from '../src/config/schema/campaign.ts'
import { findBest } from '../src/core/archive/archive.ts'
import { NO_USAGE } from '../src/core/budget/budget.ts'
import type { CampaignState } from '../src/core/campaign/campaign.ts'
import type { Job, JobResult } from '../src/core/campaign/job.ts'
import type { LedgerEntry } from '../src/core/campaign/ledger.ts'
import { createCampaign } from '../src/core/campaign/start.ts'
import { tick } from '../src/core/campaign/tick.ts'
import { pairUp, type Sample } from '../src/core/measuring/measurement.ts'
import { planMeasurement } from '../src/core/measuring/measurement-plan.ts'
import { decide } from '../src/core/measuring/stats/sampling.ts'
import { type Rng, rngFor } from '../src/core/rng.ts'
import { createMachine, type NoiseKind } from './noise.ts'

const now = new Date('2026-01-01T00:00:00Z')

interface Outcome {
  /** Something without effect was called better: this candidate, or another that became the best meanwhile. */
  readonly falsely: boolean
  /** This candidate was called better. */
  readonly found: boolean
  readonly naive: boolean
  readonly pairs: number
  readonly further: number
}

/** A campaign whose candidates change nothing, played through the engine's tick with simulated runs. */
export class NoOpCampaign {
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
    const samples = Array.from({ length: 12 }, () => sample('candidate', machine(false), [0, 0]))
    const metrics = { speed: 1, x: 0, y: 0 }
    return play(fresh, 0, measured(0, metrics, samples))
  }

  /** One more candidate with the given true gain; what is to be measured again, and duels, come after it. */
  next(gain: number): Outcome {
    const job = [...this.state.jobs.values()].find(({ kind }) => kind === 'candidate')
    if (job === undefined) throw new RangeError('next: the campaign has no open job')
    const samples = this.#measure(job, gain)
    const known = this.state.ledger.count
    const before = findBest(this.state.archive, this.state.config.objectives)
    const metrics = samples.find(({ subject }) => subject === 'candidate')?.metrics ?? {}
    this.state = play(this.state, job.ordinal, measured(job.ordinal, metrics, samples))
    const entry = this.state.ledger.tail.at(-1)
    const first = findBest(this.state.archive, this.state.config.objectives)
    const further = this.#measureAgain(gain)
    const best = findBest(this.state.archive, this.state.config.objectives)
    const improved = entry?.verdict.status === 'admitted' && entry.verdict.as === 'improved'
    const duels = this.state.ledger.tail
      .slice(known)
      .flatMap(({ verdict }) => (verdict.status === 'duelled' && verdict.won ? [verdict.of] : []))
    // When the best falls and the root is the best again, that is no admission.
    const bests = [first, best].flatMap((elite) =>
      elite === undefined || elite.ordinal === before?.ordinal || elite.ordinal === 0 ? [] : [elite.ordinal],
    )
    return {
      falsely: improved || duels.length > 0 || bests.length > 0,
      found: improved || [...duels, ...bests].includes(job.ordinal),
      naive: this.#isNaivelyBetter(entry, samples),
      pairs: samples.length / 2,
      further,
    }
  }

  // Only the candidate just finished has its gain; all that came before it have none.
  #measureAgain(gain: number): number {
    for (let pairs = 0; ; ) {
      const again = [...this.state.jobs.values()].find(({ kind }) => kind === 'confirm')
      if (again === undefined) return pairs
      const isNewest = again.parent.ordinal === Math.max(...this.#candidates())
      const samples = this.#measure(again, isNewest ? gain : 0)
      pairs += samples.length / 2
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
    const { against, bar, sampling, turns } = plan
    for (const part of turns) {
      for (const { subject, isLead } of part) {
        const isCandidate = subject === 'candidate'
        const speed = machine(isCandidate) * (isCandidate ? 1 + gain : 1)
        if (!isLead) samples.push(sample(subject, speed, place))
      }
      if (decide(pairUp(samples, 'speed', 'full', against).differences, bar, sampling) !== 'more')
        return samples
    }
    return samples
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
