import { type Elite, findBest, type Member } from './archive.ts'
import type { CampaignState, Job, ParentRef } from './campaign.ts'
import { LENSES, type Operator } from './operators.ts'
import { sampleInspirations, sampleParent } from './parents.ts'
import { pick, type Rng, rngFor } from './rng.ts'

/** How many recipes are remembered, and how often another one is drawn to avoid a repeat. */
export const RECIPES_KEPT = 64
const REDRAWS = 32

// Crossover improves on its parent more often than any other edit (see docs/search.md), but it needs
// variety that only mutation brings.
const CROSSOVER_SHARE = 0.3

export interface PlannedJob {
  readonly job: Job
  /** What was combined, for the cool-down; undefined when the choice was forced. */
  readonly recipe?: string
}

/** Decides how candidate `ordinal` is made. Depends on the archive and (seed, ordinal) alone. */
export function planJob(state: CampaignState, ordinal: number): PlannedJob {
  const { campaign, config } = state
  const rng = rngFor(config.search.seed, ordinal, 'plan')
  if (config.search.policy === 'independent' || ordinal <= campaign.warmUp)
    return { job: seedJob(state, ordinal, rng) }
  let drawn = drawJob(state, ordinal, rng)
  for (let redraw = 0; redraw < REDRAWS && campaign.search.recipes.includes(drawn.recipe); redraw++) {
    drawn = drawJob(state, ordinal, rng)
  }
  return drawn
}

// Warm-up walks through the lenses in order, so that no two early seeds look at the same thing.
function seedJob({ campaign }: CampaignState, ordinal: number, rng: Rng): Job {
  const inOrder = LENSES[(ordinal - 1) % LENSES.length]
  const lens = ordinal <= campaign.warmUp && inOrder !== undefined ? inOrder : pick(LENSES, rng)
  const parent = { ordinal: 0, commit: campaign.root.commit, tree: campaign.root.tree }
  return { ordinal, attempt: 1, kind: 'candidate', operator: 'fresh', lens, parent, inspirations: [] }
}

function drawJob(state: CampaignState, ordinal: number, rng: Rng): { job: Job; recipe: string } {
  const parent = chooseParent(state, rng)
  const inspirations = sampleInspirations(state.archive, parent, state.config.search.inspirations, rng)
  // The root brings no change of its own to cross with.
  const donor = inspirations.find(({ ordinal: other }) => other !== 0)
  const operator: Operator = donor !== undefined && rng.unit() < CROSSOVER_SHARE ? 'crossover' : 'mutate'
  const ordered =
    operator === 'crossover' && donor
      ? [donor, ...inspirations.filter((elite) => elite !== donor)]
      : inspirations
  const job: Job = {
    ordinal,
    attempt: 1,
    kind: 'candidate',
    operator,
    lens: pick(LENSES, rng),
    parent: refOf(parent.elite),
    inspirations: ordered.map(refOf),
  }
  const others = job.inspirations.map((elite) => elite.ordinal).sort((a, b) => a - b)
  return { job, recipe: `${operator}:${job.parent.ordinal}:${others.join(',')}` }
}

function chooseParent({ archive, config, campaign }: CampaignState, rng: Rng): Member {
  const members = archive.members()
  const best = findBest(archive, config.objectives)
  const champion = members.find(({ elite }) => elite === best)
  const chosen =
    config.search.policy === 'champion'
      ? champion
      : sampleParent(members, config.objectives, campaign.search.children, rng)
  if (chosen === undefined)
    throw new RangeError('chooseParent: the archive is empty, the baseline was not admitted')
  return chosen
}

function refOf({ ordinal, commit, tree }: Elite): ParentRef {
  return { ordinal, commit, tree }
}
