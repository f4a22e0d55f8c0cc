import { resolveCampaign } from '../../src/config/resolve.ts'
import { campaignSchema } from '../../src/config/schema/campaign.ts'
import { findBest, measureArchive } from '../../src/core/archive/archive.ts'
import { NO_USAGE } from '../../src/core/budget/budget.ts'
import type { CampaignState } from '../../src/core/campaign/campaign.ts'
import type { SearchConfig } from '../../src/core/campaign/engine-config.ts'
import type { Job, JobResult } from '../../src/core/campaign/job.ts'
import { createCampaign } from '../../src/core/campaign/start.ts'
import { tick } from '../../src/core/campaign/tick.ts'
import { hashText } from '../../src/core/hash.ts'
import { pairUp, type Sample } from '../../src/core/measuring/measurement.ts'
import { planMeasurement } from '../../src/core/measuring/measurement-plan.ts'
import { decide } from '../../src/core/measuring/stats/sampling.ts'
import { type Rng, rngFor } from '../../src/core/rng.ts'
import { normal } from './draws.ts'
import { type Pair, type Problem, progressOf, type Solution } from './task.ts'

/** One campaign to play. */
export interface Game {
  readonly problem: Problem
  readonly budget: number
  readonly parallel: number
  readonly seed: number
  /** What differs from the defaults, such as the policy. */
  readonly search: Partial<SearchConfig>
}

/** What a campaign reached. Values are the true ones, without noise. */
export interface Played {
  /** The progress of the candidate that the campaign names as its best. */
  readonly best: number
  /** The mean of that progress over the whole campaign. */
  readonly area: number
  readonly coverage: number
  readonly qdScore: number
}

const NOW = new Date('2026-01-01T00:00:00Z')
const NO_LIMIT = Number.MAX_SAFE_INTEGER
const ROOT = { commit: '0'.repeat(40), tree: 'f'.repeat(40), seconds: 0 }

/** Plays a campaign through the engine's own tick. Results arrive in the order in which simulated runs end. */
export function play(game: Game): Played {
  const player = new Player(game)
  player.playToEnd()
  return player.outcome()
}

class Player {
  readonly #game: Game
  readonly #solutions = new Map<number, Solution>()
  readonly #parents = new Map<number, number>()
  /** When each run ends, by ordinal. */
  readonly #running = new Map<number, number>()
  readonly #evaluation: ReturnType<typeof configOf>['evaluation']
  #state: CampaignState
  #clock = 0
  #progress: number[] = []

  constructor(game: Game) {
    this.#game = game
    const config = configOf(game)
    this.#evaluation = config.evaluation
    this.#solutions.set(0, game.problem.root)
    this.#state = createCampaign({
      id: 'search',
      config,
      order: 'arrival',
      root: ROOT,
      reserved: NO_USAGE,
      evaluator: '0'.repeat(64),
    })
  }

  playToEnd(): void {
    while (this.#state.campaign.status.phase !== 'finished') {
      this.#startRuns()
      const [next] = [...this.#running].sort(([a, x], [b, y]) => x - y || a - b)
      const job = next && this.#state.jobs.get(next[0])
      if (next === undefined || job === undefined)
        throw new RangeError('play: the campaign waits for nothing')
      this.#running.delete(next[0])
      this.#clock = next[1]
      this.#finish(job)
    }
  }

  outcome(): Played {
    const { archive, config } = this.#state
    const { root } = this.#game.problem
    const stats = measureArchive(archive, config.objectives, [root.value])
    const span = Math.abs(this.#game.problem.reference - root.value)
    const area = this.#progress.reduce((sum, each) => sum + each, 0) / Math.max(1, this.#progress.length)
    return {
      best: this.#bestProgress(),
      area,
      coverage: stats.coverage,
      qdScore: stats.qdScore / span / archive.cellCount,
    }
  }

  #startRuns(): void {
    const waiting = [...this.#state.jobs.values()]
      .filter(({ ordinal, result }) => result === undefined && !this.#running.has(ordinal))
      .sort((a, b) => a.ordinal - b.ordinal)
    for (const { ordinal } of waiting.slice(0, this.#game.parallel - this.#running.size)) {
      const rng = rngFor(this.#game.seed, ordinal, 'duration')
      this.#running.set(ordinal, this.#clock + Math.exp(0.4 * normal(rng)))
    }
  }

  #finish(job: Job): void {
    const result = this.#work(job)
    const { tree } = result
    const trees = new Map(this.#state.trees)
    if (tree !== undefined && !trees.has(tree.slice(0, 2))) trees.set(tree.slice(0, 2), new Map())
    const event = { type: 'finished', ordinal: job.ordinal, attempt: job.attempt, result } as const
    let ticked = tick({ ...this.#state, trees }, [event], NOW)
    while (ticked.effects.some(({ type }) => type === 'need-history'))
      ticked = tick(ticked.state, [{ type: 'history', entries: ticked.state.ledger.tail }], NOW)
    this.#state = ticked.state
    if (job.kind === 'candidate') this.#progress.push(this.#bestProgress())
  }

  #bestProgress(): number {
    const { archive, config } = this.#state
    const best = this.#solutions.get(findBest(archive, config.objectives)?.ordinal ?? 0)
    return progressOf(this.#game.problem, (best ?? this.#game.problem.root).value)
  }

  #work(job: Job): JobResult {
    if (job.kind !== 'candidate')
      return this.#measure(job, this.#solutionOf(job.parent.ordinal), job.parent.ordinal)
    const made = this.#make(job, rngFor(this.#game.seed, job.ordinal, 'change'))
    if (made === undefined)
      return { status: 'failed', reason: 'evaluation-failed', detail: '', usage: NO_USAGE }
    this.#solutions.set(job.ordinal, made)
    this.#parents.set(job.ordinal, job.parent.ordinal)
    return this.#measure(job, made, job.ordinal)
  }

  #make({ operator, parent, inspirations }: Job, rng: Rng): Solution | undefined {
    const from = this.#solutionOf(parent.ordinal)
    const [donor] = inspirations
    if (operator === 'crossover' && donor !== undefined)
      return from.cross(this.#pair(parent.ordinal, donor.ordinal), rng)
    const isLarge = operator === 'structural' || (operator === 'fresh' && rng.unit() < 0.3)
    return isLarge ? from.restructure(rng) : from.mutate(rng)
  }

  #pair(parent: number, donor: number): Pair<Solution> {
    const line = new Set(this.#lineOf(parent))
    const base = this.#lineOf(donor).find((ordinal) => line.has(ordinal)) ?? 0
    return { donor: this.#solutionOf(donor), base: this.#solutionOf(base) }
  }

  #lineOf(ordinal: number): number[] {
    return ordinal === 0 ? [0] : [ordinal, ...this.#lineOf(this.#parents.get(ordinal) ?? 0)]
  }

  #solutionOf(ordinal: number): Solution {
    const solution = this.#solutions.get(ordinal)
    if (solution === undefined) throw new RangeError(`play: candidate ${ordinal} has no solution`)
    return solution
  }

  #measure(job: Job, solution: Solution, of: number): JobResult {
    const samples = this.#sample(job, solution)
    const metrics = samples.find(({ subject }) => subject === 'candidate')?.metrics ?? {}
    const commit = of.toString(16).padStart(40, '0')
    const tree = of === 0 ? ROOT.tree : treeOf(solution)
    const change = { files: 1, linesAdded: 1, linesRemoved: 0 }
    return { status: 'measured', commit, tree, metrics, samples, change, summary: '', usage: NO_USAGE }
  }

  #sample(job: Job, solution: Solution): Sample[] {
    const { problem, seed } = this.#game
    const rng = rngFor(seed, job.ordinal, 'noise')
    const run = (subject: Sample['subject'], { value, place: [x, y] }: Solution): Sample => {
      const factor = problem.noise === 0 ? 1 : Math.max(0.05, 1 + problem.noise * normal(rng))
      return { subject, stage: 'full', metrics: { value: value * factor, x, y } }
    }
    const plan = planMeasurement(
      { ...this.#state, config: { ...this.#state.config, evaluation: this.#evaluation } },
      job,
    )
    if (plan.kind === 'once') return [run('candidate', solution)]
    if (plan.kind === 'baseline')
      return Array.from({ length: problem.noise === 0 ? plan.runs : plan.noisyRuns }, () =>
        run('candidate', solution),
      )
    const { against, bar, sampling, turns } = plan
    const other = against === 'rival' ? this.#solutionOf(job.rival?.ordinal ?? 0) : problem.root
    const samples: Sample[] = []
    const sign = problem.direction === 'maximize' ? 1 : -1
    for (const part of turns) {
      for (const { subject, isLead } of part) {
        const sample = run(subject, subject === 'candidate' ? solution : other)
        if (!isLead) samples.push(sample)
      }
      const { differences } = pairUp(samples, 'value', 'full', against)
      if (
        decide(
          differences.map((each) => sign * each),
          bar,
          sampling,
        ) !== 'more'
      )
        break
    }
    return samples
  }
}

// Equal solutions are equal trees, as in git.
function treeOf({ value, place }: Solution): string {
  const text = `${value} ${place.join(' ')}`
  return [1, 2, 3, 4, 5].map((salt) => hashText(text, salt).toString(16).padStart(8, '0')).join('')
}

function configOf({ problem, budget, parallel, seed, search }: Game) {
  const config = resolveCampaign(
    'search',
    campaignSchema.parse({
      goal: 'Better.',
      scope: { editable: ['**'] },
      objectives: [{ metric: 'value', direction: problem.direction }],
      evaluation: { command: 'true' },
      search: {
        descriptor: 'metrics',
        axes: [
          { metric: 'x', min: 0, max: 1 },
          { metric: 'y', min: 0, max: 1 },
        ],
      },
      limits: { candidates: budget, parallel },
    }),
  )
  const limits = {
    ...config.limits,
    tokens: NO_LIMIT,
    dollars: NO_LIMIT,
    runnerMinutes: NO_LIMIT,
    sameFailure: NO_LIMIT,
    candidatesPerDay: NO_LIMIT,
  }
  return { ...config, limits, search: { ...config.search, seed, ...search } }
}
