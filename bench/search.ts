import { POLICIES, type Policy } from '../src/core/campaign/engine-config.ts'
import { type Bench, type BenchOptions, type BenchReport, rounded } from './bench.ts'
import { comparePaired, type Difference, findClear, mean } from './search/compare.ts'
import { type Played, play } from './search/play.ts'
import type { Problem } from './search/task.ts'
import { HELD_BACK, TASKS } from './search/tasks.ts'

/** The budget and the number of parallel candidates of the headline. */
const MAIN = { budget: 200, parallel: 4 }
const RIVALS = ['champion', 'qd', 'independent'] as const satisfies readonly Policy[]

/** Whether the search pays: all policies at equal budgets on tasks that need no model. */
export const searchBench: Bench = {
  about: 'all policies at equal budgets, on tasks that need no model',
  run: runSearch,
}

interface Size {
  readonly budgets: readonly number[]
  readonly parallels: readonly number[]
  readonly seeds: number
}

const FULL: Size = { budgets: [50, 100, 200, 400], parallels: [1, 4, 16], seeds: 20 }
const QUICK: Size = { budgets: [50, 200], parallels: [4], seeds: 5 }

/** All campaigns of one task at one budget and one degree of parallelism. */
interface Round {
  readonly problem: Problem
  readonly budget: number
  readonly parallel: number
  readonly played: Readonly<Record<Policy, readonly Played[]>>
}

async function runSearch({ quick, log }: BenchOptions): Promise<BenchReport> {
  const size = quick ? QUICK : FULL
  const tuned = playAll(TASKS, size, 1, log)
  // Seeds above 100 were never used for tuning.
  const heldBack = playAll(HELD_BACK, size, 101, log)
  const fresh = playAll(TASKS, { ...size, budgets: [MAIN.budget], parallels: [MAIN.parallel] }, 101, log)
  return {
    headline: createHeadline(tuned, size),
    details: {
      ...size,
      settings: settingsOf(size).map((setting) => describe(tuned, setting)),
      tasks: tableOf(tuned.filter(isMain)),
      unseen_tasks: tableOf(heldBack.filter(isMain)),
      unseen_settings: settingsOf(size).map((setting) => describe(heldBack, setting)),
      unseen_seeds: describe(fresh, MAIN),
    },
  }
}

function playAll(
  problems: readonly Problem[],
  { budgets, parallels, seeds }: Size,
  firstSeed: number,
  log: BenchOptions['log'],
): Round[] {
  return problems.flatMap((problem) => {
    log(`${problem.name}, seeds from ${firstSeed}…`)
    return budgets.flatMap((budget) =>
      parallels.map((parallel) => {
        const playedBy = (policy: Policy): Played[] =>
          Array.from({ length: seeds }, (_, index) =>
            play({ problem, budget, parallel, seed: firstSeed + index, search: { policy } }),
          )
        const played = {
          adaptive: playedBy('adaptive'),
          champion: playedBy('champion'),
          qd: playedBy('qd'),
          independent: playedBy('independent'),
        }
        return { problem, budget, parallel, played }
      }),
    )
  })
}

interface Setting {
  readonly budget: number
  readonly parallel: number
}

function settingsOf({ budgets, parallels }: Size): Setting[] {
  return budgets.flatMap((budget) => parallels.map((parallel) => ({ budget, parallel })))
}

function isMain({ budget, parallel }: Setting): boolean {
  return budget === MAIN.budget && parallel === MAIN.parallel
}

function createHeadline(rounds: readonly Round[], size: Size): BenchReport['headline'] {
  const main = rounds.filter(isMain)
  const lead = mean(main.map((round) => leadOf(round, 'champion').mean))
  const losses = settingsOf(size).flatMap(({ budget, parallel }) => {
    const here = rounds.filter((round) => round.budget === budget && round.parallel === parallel)
    return RIVALS.flatMap((rival) => findLosses(here, rival))
  })
  return {
    tasks: main.length,
    wins_over_independent: countWins(main, 'independent'),
    wins_over_champion: countWins(main, 'champion'),
    wins_over_qd: countWins(main, 'qd'),
    clear_losses: losses.length,
    mean_lead_over_champion: rounded(lead, 3),
  }
}

function leadOf({ problem, budget, parallel, played }: Round, rival: Policy): Difference {
  const bests = (policy: Policy): number[] => played[policy].map(({ best }) => best)
  return comparePaired(bests('adaptive'), bests(rival), `${problem.name} ${budget} ${parallel} ${rival}`)
}

function countWins(rounds: readonly Round[], rival: Policy): number {
  return rounds.filter((round) => leadOf(round, rival).low > 0).length
}

function findLosses(rounds: readonly Round[], rival: Policy): Difference[] {
  const leads = rounds.map((round) => leadOf(round, rival))
  const clear = findClear(leads)
  return leads.filter((lead) => lead.mean < 0 && clear.has(lead))
}

/** The means over all tasks at one setting. */
function describe(rounds: readonly Round[], { budget, parallel }: Setting) {
  const here = rounds.filter((round) => round.budget === budget && round.parallel === parallel)
  const meanOf = (policy: Policy, figure: keyof Played): number =>
    rounded(mean(here.flatMap(({ played }) => played[policy].map((each) => each[figure]))), 3)
  return {
    budget,
    parallel,
    policies: Object.fromEntries(
      POLICIES.map((policy) => [
        policy,
        {
          best: meanOf(policy, 'best'),
          area: meanOf(policy, 'area'),
          coverage: meanOf(policy, 'coverage'),
          qd_score: meanOf(policy, 'qdScore'),
        },
      ]),
    ),
    wins: Object.fromEntries(RIVALS.map((rival) => [rival, countWins(here, rival)])),
    clear_losses: Object.fromEntries(RIVALS.map((rival) => [rival, findLosses(here, rival).length])),
  }
}

/** Task by task: the final best of each policy, and the lead of `adaptive`. */
function tableOf(rounds: readonly Round[]) {
  return rounds.map((round) => ({
    task: round.problem.name,
    noise: round.problem.noise,
    best: Object.fromEntries(
      POLICIES.map((policy) => [policy, rounded(mean(round.played[policy].map(({ best }) => best)), 3)]),
    ),
    lead: Object.fromEntries(
      RIVALS.map((rival) => {
        const { mean: lead, low, high, winRate } = leadOf(round, rival)
        return [
          rival,
          {
            mean: rounded(lead, 3),
            low: rounded(low, 3),
            high: rounded(high, 3),
            win_rate: rounded(winRate),
          },
        ]
      }),
    ),
  }))
}
