import { cp, mkdir, readFile, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createOfflineAgent } from '../src/agents/offline/agent.ts'
import { findBest } from '../src/core/archive/archive.ts'
import type { Policy } from '../src/core/campaign/engine-config.ts'
import type { LedgerEntry } from '../src/core/campaign/ledger.ts'
import { relativeGain } from '../src/core/measuring/objective.ts'
import { commitFolder } from '../src/git/new-repository.ts'
import { openGit } from '../src/store/open-git.ts'
import { type Bench, type BenchOptions, type BenchReport, median, rounded } from './bench.ts'
import { parseOneCampaign, runCampaign } from './campaign-run.ts'

const EXAMPLE = fileURLToPath(new URL('../examples/circle-packing', import.meta.url))
const ENOUGH_GAIN = 0.05

/** Whether the demo improves for any seed, not only for a lucky one. */
export const demoSeeds: Bench = {
  about: 'the circle-packing demo with ten seeds, under its own policy and under champion',
  run: runDemoSeeds,
}

interface SeedRow {
  readonly seed: number
  readonly policy: Policy
  readonly baseline: number
  readonly best: number
  readonly gain: number
  readonly cells: number
  readonly valid_share: number
  readonly seconds: number
}

async function runDemoSeeds(options: BenchOptions): Promise<BenchReport> {
  const { quick } = options
  const size = quick ? { seeds: 3, candidates: 40 } : { seeds: 10, candidates: 100 }
  const seeds: SeedRow[] = []
  const champion: SeedRow[] = []
  for (let seed = 1; seed <= size.seeds; seed++) {
    seeds.push(await runSeed(options, { seed, candidates: size.candidates }))
    if (!quick)
      champion.push(await runSeed(options, { seed, candidates: size.candidates, policy: 'champion' }))
  }
  const gains = seeds.map(({ gain }) => gain)
  return {
    headline: {
      improved_seeds: gains.filter((gain) => gain >= ENOUGH_GAIN).length,
      median_gain: rounded(median(gains), 4),
    },
    details: {
      ...size,
      parallel: availableParallelism(),
      least_gain: Math.min(...gains),
      ...(champion.length > 0 && {
        champion_median_gain: rounded(median(champion.map(({ gain }) => gain)), 4),
      }),
      per_seed: [...seeds, ...champion],
    },
  }
}

interface SeedOrder {
  readonly seed: number
  readonly candidates: number
  /** Undefined: the policy of the example's own config. */
  readonly policy?: Policy
}

async function runSeed(options: BenchOptions, order: SeedOrder): Promise<SeedRow> {
  const folder = join(options.place, 'demo')
  await mkdir(folder)
  await cp(EXAMPLE, folder, { recursive: true })
  await commitFolder(folder, 'circle packing: a naive start', options.gitEnvironment)
  try {
    const row = await evolve(options, folder, order)
    options.log(
      `seed ${row.seed} ${row.policy}: ${row.baseline} -> ${row.best} (${(100 * row.gain).toFixed(1)} %)`,
    )
    return row
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    await rm(join(options.place, 'cache'), { recursive: true, force: true, maxRetries: 5 })
  }
}

async function evolve(options: BenchOptions, folder: string, order: SeedOrder): Promise<SeedRow> {
  const file = parseOneCampaign(await readFile(join(folder, '.loreley.yml'), 'utf8'), 'the example')
  const policy = order.policy ?? file.search.policy
  const config = {
    ...file,
    search: { ...file.search, seed: order.seed, policy },
    limits: { ...file.limits, candidates: order.candidates },
  }
  const entries: LedgerEntry[] = []
  const started = performance.now()
  const git = await openGit(folder, options.gitEnvironment)
  try {
    const { state } = await runCampaign(options, {
      git,
      config,
      agent: createOfflineAgent(),
      parallel: availableParallelism(),
      reporter: { finished: (entry) => entries.push(entry) },
    })
    const baseline = state.campaign.baseline?.value ?? []
    const best = findBest(state.archive, config.objectives)?.value ?? []
    const candidates = entries.filter(({ kind }) => kind === 'candidate')
    return {
      seed: order.seed,
      policy,
      baseline: rounded(baseline[0] ?? Number.NaN, 4),
      best: rounded(best[0] ?? Number.NaN, 4),
      gain: rounded(relativeGain(best, baseline, config.objectives) ?? 0, 4),
      cells: state.archive.members().length,
      valid_share: rounded(candidates.filter(({ metrics }) => metrics).length / candidates.length),
      seconds: rounded((performance.now() - started) / 1000, 1),
    }
  } finally {
    await git.close()
  }
}
