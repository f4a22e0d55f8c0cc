import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { LoreleyError } from '../src/errors.ts'
import { renderPages } from '../src/reports/campaign/pages.ts'
import { CampaignLoop, type Host } from '../src/store/campaign-loop.ts'
import { type OpenGit, openGit } from '../src/store/open-git.ts'
import { type Bench, type BenchOptions, type BenchReport, median, rounded } from './bench.ts'
import { createEmbedding, withLearnedAxes } from './learned-campaign.ts'
import { createLongCampaign, createResult, packRefs, withoutCommits } from './long-campaign.ts'
import { createSampleRepository, readRoot } from './sample-repository.ts'

/** Whether a step stays as cheap when the history is long. */
export const tickBench: Bench = {
  about: 'load, tick and commit with 1,000 and with 100,000 finished candidates',
  run: runTick,
}

interface Steps {
  readonly finished: number
  readonly campaign: string
  readonly git: OpenGit
  readonly loadMs: number[]
  readonly stepMs: number[]
}

async function runTick(options: BenchOptions): Promise<BenchReport> {
  const rounds = options.quick ? 10 : 60
  const short = await prepare(options, 1000)
  const long = await prepare(options, options.quick ? 20_000 : 100_000)
  try {
    // In turns, and each time the other one first: a noisy minute meets both alike.
    for (let round = 0; round < rounds; round++) {
      for (const steps of round % 2 === 0 ? [short, long] : [long, short]) await stepOnce(steps)
    }
    return {
      headline: { tick_ratio: rounded(median(totals(long)) / median(totals(short))) },
      details: { steps: rounds, per_size: [describe(short), describe(long)] },
    }
  } finally {
    await Promise.all([short.git.close(), long.git.close()])
  }
}

async function prepare({ place, gitEnvironment, log }: BenchOptions, finished: number): Promise<Steps> {
  const folder = join(place, `${finished}`)
  await mkdir(folder)
  await createSampleRepository(folder, gitEnvironment)
  const git = await openGit(folder, gitEnvironment)
  const root = await readRoot(git)
  const stored = withLearnedAxes(withoutCommits(createLongCampaign(root, finished)))
  await packRefs(git.repository, stored)
  await CampaignLoop.start(createIdleHost(git), stored)
  log(`${finished} finished candidates are written`)
  return { finished, campaign: stored.config.name, git, loadMs: [], stepMs: [] }
}

async function stepOnce({ campaign, git, loadMs, stepMs }: Steps): Promise<void> {
  const started = performance.now()
  const snapshot = await git.store.load(campaign)
  const loaded = performance.now()
  if (snapshot === undefined) throw broken('the campaign is gone')
  const ordinal = snapshot.state.ledger.count
  const loop = CampaignLoop.open(createIdleHost(git), snapshot)
  const { commit } = snapshot.state.campaign.root
  const result = { ...createResult(ordinal, commit), embedding: createEmbedding(ordinal) }
  const { entries, unpublished } = await loop.step([{ type: 'finished', ordinal, attempt: 1, result }])
  stepMs.push(performance.now() - loaded)
  if (entries.length !== 1) throw broken(`a step finished ${entries.length} candidates, not one`)
  if (unpublished.length > 0) throw broken(`${unpublished.length} refs could not be moved`)
  if (entries[0]?.embedding === undefined) throw broken('the candidate has no vector')
  loadMs.push(loaded - started)
}

// Nothing is dispatched or published: what is timed is the state, not the work.
function createIdleHost({ store }: OpenGit): Host {
  return {
    store,
    perform: async () => undefined,
    renderPages,
    now: () => new Date(),
    jitter: () => 0,
  }
}

function totals({ loadMs, stepMs }: Steps): number[] {
  return loadMs.map((load, index) => load + (stepMs[index] ?? 0))
}

function describe(steps: Steps): Record<string, number> {
  return {
    finished: steps.finished,
    load_ms: rounded(median(steps.loadMs)),
    tick_and_commit_ms: rounded(median(steps.stepMs)),
    total_ms: rounded(median(totals(steps))),
  }
}

function broken(what: string): LoreleyError {
  return new LoreleyError(
    'internal',
    `The benchmark does not measure what it should: ${what}.`,
    'Mend it first.',
  )
}
