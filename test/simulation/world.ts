import { NO_USAGE, type Reserve } from '../../src/core/budget/budget.ts'
import type { CampaignState } from '../../src/core/campaign/campaign.ts'
import type { Job, JobResult } from '../../src/core/campaign/job.ts'
import type { Metrics } from '../../src/core/measuring/objective.ts'
import { FAILURE_REASONS } from '../../src/core/measuring/verdict.ts'
import { pick, rngFor } from '../../src/core/rng.ts'
import { type Embedding, encodeVector } from '../../src/core/space/embedding.ts'
import { anObjectId, aResult } from '../support/builders.ts'
import { BASELINE } from '../support/campaign-steps.ts'

/** The most that a candidate of this world costs. */
export const RESERVED: Reserve = { tokens: 100, dollars: 1, runnerMs: 60_000, measuringMs: 40_000 }

/**
 * What comes of a job: a pure function of the job's plan, so that another plan gives another result. Some
 * fail, with or without a tree, and some hit on one of a few trees that others hit on too.
 */
export function resultOf(seed: number, job: Job): JobResult {
  if (job.kind === 'baseline') return { ...BASELINE, metrics: { score: 0.3, x: 0.5, y: 0.5 } }
  if (job.kind === 'confirm') {
    const usage = { ...NO_USAGE, runnerMs: rngFor(seed, job.ordinal, 'again').int(40_001) }
    return { ...aResult(0, job.parent), metrics: metricsOf(job.parent.tree), usage }
  }
  const plan = [job.parent.tree, ...job.inspirations.map(({ tree }) => tree), job.operator, job.lens].join()
  const rng = rngFor(seed, job.ordinal, plan)
  const usage = { tokens: rng.int(101), dollars: rng.int(101) / 100, runnerMs: rng.int(60_001) }
  const chance = rng.unit()
  const tree = anObjectId(chance < 0.3 ? `shared ${rng.int(6)}` : `own ${plan} ${job.ordinal}`)
  const summary = `candidate ${job.ordinal}`
  if (chance > 0.85) {
    const reason = pick(FAILURE_REASONS, rng)
    return { status: 'failed', reason, detail: 'no luck', usage, ...(chance > 0.92 ? { tree, summary } : {}) }
  }
  const commit = anObjectId(`${tree} ${job.ordinal}`)
  const change = { files: 1, linesAdded: rng.int(50), linesRemoved: rng.int(50) }
  const embedding = embeddingOf(tree)
  return {
    status: 'measured',
    commit,
    tree,
    metrics: metricsOf(tree),
    samples: [],
    change,
    embedding,
    summary,
    usage,
  }
}

// Of the tree alone, too; some trees are alike.
function embeddingOf(tree: string): Embedding {
  const rng = rngFor(2, 2, tree)
  const components = Array.from({ length: 6 }, () => rng.unit() - 0.5)
  const kind = rng.int(3)
  return {
    vector: encodeVector(components, kind + rng.unit()),
    files: [`src/${kind}.js`],
    terms: [`term${kind}`],
  }
}

// Of the tree alone: the evaluator is deterministic. A few are missing an axis.
function metricsOf(tree: string): Metrics {
  const rng = rngFor(1, 1, tree)
  const metrics = { score: rng.int(20) / 10, x: rng.unit(), y: rng.unit() }
  return rng.unit() < 0.05 ? { score: metrics.score } : metrics
}

/** A host may see that a tree is known, and not evaluate it again: whether it does is a matter of timing. */
export function asSeenBy(state: CampaignState, result: JobResult): JobResult {
  const { tree, usage } = result
  if (result.status !== 'measured' || tree === undefined) return result
  const known = state.trees.get(tree.slice(0, 2))?.has(tree) === true
  return known ? { status: 'duplicate', tree, summary: result.summary, usage } : result
}
