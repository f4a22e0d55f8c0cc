import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Agent } from '../src/agents/agent.ts'
import type { CampaignConfig, EvaluationConfig } from '../src/config/campaign-config.ts'
import type { Verdict } from '../src/core/measuring/verdict.ts'
import { LoreleyError } from '../src/errors.ts'
import { LocalStore } from '../src/store/local-store.ts'
import { type OpenGit, openGit } from '../src/store/open-git.ts'
import type { Change, CommitOutcome, Revision } from '../src/store/state-store.ts'
import { type Bench, type BenchOptions, type BenchReport, median, rounded, timeMs } from './bench.ts'
import { parseOneCampaign, runCampaign } from './campaign-run.ts'
import { runBare, runFloor } from './git-floor.ts'
import { type Part, PartTimer } from './overhead-parts.ts'
import { createSampleRepository } from './sample-repository.ts'

/** What a candidate costs beyond its agent and its evaluator. */
export const overhead: Bench = {
  about: 'wall time of a candidate beyond agent and evaluator, against plain git commands',
  run: runOverhead,
}

// Small, so that all are measured under the same load.
const BLOCK = 5
const PART_ROUNDS = 2
const DEPENDENCIES = 20_000

// Cells and warm-up are those of a budget of 200: the first block alone would make them smaller.
const CONFIG = parseOneCampaign(
  `
goal: Cost nothing.
scope: { editable: [src/**] }
objectives: [{ metric: value, direction: maximize }]
evaluation: { command: echo 1, baseline_runs: 2 }
search: { cells: 25, warm_up: 30 }
`,
  'the overhead benchmark',
)

// As many files as a large `node_modules`, 100 to a folder.
const SETUP = `mkdir -p $(seq -f node_modules/p%g 0 ${DEPENDENCIES / 100 - 1})
awk 'BEGIN { for (i = 0; i < ${DEPENDENCIES}; i++) { file = "node_modules/p" int(i / 100) "/f" i; print i > file; close(file) } }'`

/** The same campaign on repositories of their own, interleaved. */
const VARIANTS = {
  isolated: CONFIG.evaluation,
  unisolated: { ...CONFIG.evaluation, isolation: 'none' },
  dependencies: { ...CONFIG.evaluation, setup: SETUP },
} as const satisfies Record<string, EvaluationConfig>

type VariantName = keyof typeof VARIANTS

interface Samples {
  readonly floorMs: number[]
  readonly bareEvaluatorMs: number[]
  readonly candidateMs: Readonly<Record<VariantName, number[]>>
  readonly agentMs: number[]
  readonly stateCommitMs: number[]
}

/** A campaign that is carried on block by block. */
interface Variant {
  readonly config: CampaignConfig
  readonly git: OpenGit
  readonly agent: Agent
  readonly candidateMs: number[]
}

async function runOverhead(options: BenchOptions): Promise<BenchReport> {
  const blocks = options.quick ? 8 : 40
  const floor = join(options.place, 'floor')
  await mkdir(floor)
  await createSampleRepository(floor, options.gitEnvironment)
  const samples: Samples = {
    floorMs: [],
    bareEvaluatorMs: [],
    candidateMs: { isolated: [], unisolated: [], dependencies: [] },
    agentMs: [],
    stateCommitMs: [],
  }
  const opened: OpenGit[] = []
  try {
    const variants: Variant[] = []
    for (const name of VARIANT_NAMES) {
      const variant = await openVariant(options, name, samples)
      opened.push(variant.git)
      variants.push(variant)
    }
    const [first] = variants
    if (first === undefined) throw new RangeError('overhead: there is nothing to run')
    const parts = await PartTimer.open(options, first.git, CONFIG)
    await runFloorBlock(options, floor, samples)
    for (let block = 1; block <= blocks; block++) {
      for (const variant of variants) await runOurBlock(options, variant, block * BLOCK)
      await runFloorBlock(options, floor, samples)
      for (let round = 0; round < PART_ROUNDS; round++) await parts.runRound()
      options.log(`${block * BLOCK} candidates`)
    }
    return createReport(samples, parts.medians())
  } finally {
    for (const git of opened) await git.close()
  }
}

const VARIANT_NAMES = ['isolated', 'unisolated', 'dependencies'] as const

async function openVariant(options: BenchOptions, name: VariantName, samples: Samples): Promise<Variant> {
  const repository = join(options.place, name)
  await mkdir(repository)
  await createSampleRepository(repository, options.gitEnvironment)
  const opened = await openGit(repository, options.gitEnvironment)
  return {
    config: { ...CONFIG, evaluation: VARIANTS[name] },
    git: { ...opened, store: new TimedStore(opened, samples.stateCommitMs) },
    agent: createLineAgent(samples.agentMs),
    candidateMs: samples.candidateMs[name],
  }
}

async function runFloorBlock(
  { gitEnvironment }: BenchOptions,
  folder: string,
  samples: Samples,
): Promise<void> {
  for (let index = 0; index < BLOCK; index++) {
    samples.floorMs.push(await timeMs(() => runFloor(folder, samples.floorMs.length, gitEnvironment)))
    samples.bareEvaluatorMs.push(await timeMs(() => runBare(CONFIG.evaluation.command, gitEnvironment)))
  }
}

// One candidate at a time: from one entry in the ledger to the next is what a candidate costs. The time
// before a block's first entry is the start of the host (lock, prepared root, loading), which is no candidate's.
async function runOurBlock(options: BenchOptions, variant: Variant, candidates: number): Promise<void> {
  const { config, git, agent, candidateMs } = variant
  let last: number | undefined
  await runCampaign(options, {
    git,
    config: { ...config, limits: { ...config.limits, candidates } },
    agent,
    parallel: 1,
    reporter: {
      finished: ({ kind, verdict, metrics }) => {
        const now = performance.now()
        // A candidate that failed or was a duplicate costs less: it would flatter us.
        if (metrics === undefined) throw unmeasured(verdict)
        if (last !== undefined && kind === 'candidate') candidateMs.push(now - last)
        last = now
      },
    },
  })
}

// Appends a line that no other candidate has, so that no tree is a duplicate.
function createLineAgent(agentMs: number[]): Agent {
  let count = 0
  return {
    name: 'line',
    secrets: [],
    canRework: false,
    checkHealth: async () => [],
    plan: async () => ({ text: '' }),
    code: async ({ workspace }) => {
      const ordinal = count++
      const path = workspace.editablePaths[ordinal % workspace.editablePaths.length] ?? ''
      const line = `export const added = ${ordinal}\n`
      agentMs.push(await timeMs(() => appendFile(join(workspace.folder, path), line)))
      return { status: 'changed', summary: `line ${ordinal}` }
    },
  }
}

function unmeasured(verdict: Verdict): LoreleyError {
  const hint = 'See what the candidate ran into with `loreley show` on a repository like it.'
  return new LoreleyError('internal', `A candidate was not measured: ${JSON.stringify(verdict)}`, hint)
}

class TimedStore extends LocalStore {
  readonly #commitMs: number[]

  constructor(git: OpenGit, commitMs: number[]) {
    super(git)
    this.#commitMs = commitMs
  }

  override async commit(base: Revision | undefined, change: Change): Promise<CommitOutcome> {
    const started = performance.now()
    const outcome = await super.commit(base, change)
    this.#commitMs.push(performance.now() - started)
    return outcome
  }
}

function createReport(samples: Samples, parts: readonly Part[]): BenchReport {
  const { isolated, unisolated, dependencies } = samples.candidateMs
  const floor = median(samples.floorMs)
  const agent = median(samples.agentMs)
  const evaluator = median(samples.bareEvaluatorMs)
  const stateCommit = median(samples.stateCommitMs)
  const own = (candidateMs: readonly number[]) => median(candidateMs) - agent
  return {
    // The evaluator's spawn stays in: the floor has the spawn of `true` for it.
    headline: {
      overhead_ratio: rounded(own(isolated) / floor),
      dependencies_ratio: rounded(own(dependencies) / own(isolated)),
    },
    details: {
      overhead_ratio_unisolated: rounded(own(unisolated) / floor),
      overhead_ratio_without_evaluator: rounded((own(isolated) - evaluator) / floor),
      ratio_of_means: rounded((mean(isolated) - mean(samples.agentMs)) / mean(samples.floorMs)),
      candidates: samples.agentMs.length,
      median_ms: {
        candidate: rounded(median(isolated)),
        unisolated: rounded(median(unisolated)),
        dependencies: rounded(median(dependencies)),
        floor: rounded(floor),
        agent: rounded(agent),
        bare_evaluator: rounded(evaluator),
      },
      parts: [
        ...parts,
        {
          part: 'commit the state (beside the next candidate)',
          times: 1,
          ms_each: rounded(stateCommit),
          ms_per_candidate: rounded(stateCommit),
        },
      ],
    },
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
