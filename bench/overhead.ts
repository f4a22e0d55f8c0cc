import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Agent } from '../src/agents/agent.ts'
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

const BLOCK = 20
const PART_ROUNDS = 5

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

interface Samples {
  readonly floorMs: number[]
  readonly bareEvaluatorMs: number[]
  readonly candidateMs: number[]
  readonly agentMs: number[]
  readonly stateCommitMs: number[]
}

interface Ours {
  readonly git: OpenGit
  readonly agent: Agent
  readonly candidateMs: number[]
}

async function runOverhead(options: BenchOptions): Promise<BenchReport> {
  const blocks = options.quick ? 2 : 10
  const [repository, floor] = [join(options.place, 'ours'), join(options.place, 'floor')]
  for (const folder of [repository, floor]) {
    await mkdir(folder)
    await createSampleRepository(folder, options.gitEnvironment)
  }
  const samples: Samples = {
    floorMs: [],
    bareEvaluatorMs: [],
    candidateMs: [],
    agentMs: [],
    stateCommitMs: [],
  }
  const opened = await openGit(repository, options.gitEnvironment)
  const git: OpenGit = { ...opened, store: new TimedStore(opened, samples.stateCommitMs) }
  try {
    const ours = { git, agent: createLineAgent(samples.agentMs), candidateMs: samples.candidateMs }
    const parts = await PartTimer.open(options, git, CONFIG)
    await runFloorBlock(options, floor, samples)
    for (let block = 1; block <= blocks; block++) {
      await runOurBlock(options, ours, block * BLOCK)
      await runFloorBlock(options, floor, samples)
      for (let round = 0; round < PART_ROUNDS; round++) await parts.runRound()
      options.log(`${block * BLOCK} candidates`)
    }
    return createReport(samples, parts.medians())
  } finally {
    await opened.close()
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
async function runOurBlock(options: BenchOptions, ours: Ours, candidates: number): Promise<void> {
  const { git, agent, candidateMs } = ours
  let last: number | undefined
  await runCampaign(options, {
    git,
    config: { ...CONFIG, limits: { ...CONFIG.limits, candidates } },
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
  const floor = median(samples.floorMs)
  const candidate = median(samples.candidateMs)
  const agent = median(samples.agentMs)
  const evaluator = median(samples.bareEvaluatorMs)
  const stateCommit = median(samples.stateCommitMs)
  return {
    // The evaluator's spawn stays in: the floor has the spawn of `true` for it.
    headline: { overhead_ratio: rounded((candidate - agent) / floor) },
    details: {
      overhead_ratio_without_evaluator: rounded((candidate - agent - evaluator) / floor),
      ratio_of_means: rounded((mean(samples.candidateMs) - mean(samples.agentMs)) / mean(samples.floorMs)),
      candidates: samples.agentMs.length,
      median_ms: {
        candidate: rounded(candidate),
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
