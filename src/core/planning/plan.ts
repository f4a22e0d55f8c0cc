import { type Elite, findBest, type Member } from '../archive/archive.ts'
import { findDonorIsland, type IslandId, islandFor } from '../archive/islands.ts'
import type { CampaignState } from '../campaign/campaign.ts'
import type { Job } from '../campaign/job.ts'
import { pick, type Rng, rngFor } from '../rng.ts'
import { adaptiveJob } from './adaptive.ts'
import { drawOperator, refOf, rootRef } from './job-parts.ts'
import { sampleInspirations, sampleParent } from './parents.ts'

/** How many recipes are remembered, and how many redraws avoid a repeat. */
export const RECIPES_KEPT = 64
const REDRAWS = 32

export interface PlannedJob {
  readonly job: Job
  /** The combination of parents, for the cool-down; undefined if there was no choice. */
  readonly recipe?: string
}

/** Plans candidate `ordinal`. Depends only on the archive, the seed and the ordinal. */
export function planJob(state: CampaignState, ordinal: number): PlannedJob {
  const { campaign, config } = state
  const rng = rngFor(config.search.seed, ordinal, 'plan')
  if (config.search.policy === 'independent' || isIndependent(state, ordinal))
    return { job: seedJob(state, ordinal, rng) }
  if (config.search.policy === 'adaptive') return { job: adaptiveJob(state, ordinal, rng) }
  let drawn = drawJob(state, ordinal, rng)
  for (let redraw = 0; redraw < REDRAWS && campaign.search.recipes.includes(drawn.recipe); redraw++) {
    drawn = drawJob(state, ordinal, rng)
  }
  return drawn
}

// The warm-up, and after it as many more, spread evenly, as the arm's share of the budget needs.
function isIndependent({ campaign: { warmUp }, config }: CampaignState, ordinal: number): boolean {
  if (ordinal <= warmUp) return true
  const { independentShare, policy } = config.search
  if (policy !== 'adaptive') return false
  const { candidates } = config.limits
  const missing = Math.ceil(independentShare * candidates) - warmUp
  const rate = Math.min(1, Math.max(0, missing) / Math.max(1, candidates - warmUp))
  const after = ordinal - warmUp
  return Math.floor(after * rate) > Math.floor((after - 1) * rate)
}

// Warm-up goes through the lenses in order, so that early seeds differ. Seeds see no history; otherwise they would all
// copy the first success.
function seedJob(state: CampaignState, ordinal: number, rng: Rng): Job {
  const { lenses } = state.config.search
  const next = lenses[(ordinal - 1) % lenses.length]
  const lens = ordinal <= state.campaign.warmUp && next !== undefined ? next : pick(lenses, rng)
  const parent = rootRef(state)
  return {
    ordinal,
    attempt: 1,
    kind: 'candidate',
    operator: 'fresh',
    lens: lens.name,
    island: islandFor(ordinal, state.archive.islands),
    parent,
    inspirations: [],
    ...(state.config.search.policy === 'adaptive' && { independent: true }),
  }
}

function drawJob(state: CampaignState, ordinal: number, rng: Rng): { job: Job; recipe: string } {
  const island = islandFor(ordinal, state.archive.islands)
  const member = chooseParent(state, island, rng)
  const near = sampleInspirations(state.archive, member, state.config.search.inspirations, rng)
  const inspirations = withMigrant(state, near, ordinal, rng)
  // The root has no change to cross with.
  const donor = inspirations.find(({ ordinal: other }) => other !== 0)
  const repairable = state.campaign.search.repairable.filter((each) => each.island === island)
  const operator = drawOperator(state, { crossover: donor !== undefined, repair: repairable.length > 0 }, rng)
  const failed = operator === 'repair' ? pick(repairable, rng) : undefined
  const ordered =
    operator === 'crossover' && donor
      ? [donor, ...inspirations.filter((elite) => elite !== donor)]
      : inspirations
  const job: Job = {
    ordinal,
    attempt: 1,
    kind: 'candidate',
    operator,
    lens: pick(state.config.search.lenses, rng).name,
    island,
    parent: operator === 'fresh' ? rootRef(state) : (failed?.parent ?? refOf(member.elite)),
    inspirations: ordered.map(refOf),
    seen: state.ledger.count,
    ...(failed && { repairs: failed.ordinal }),
  }
  const others = job.inspirations.map((elite) => elite.ordinal).sort((a, b) => a - b)
  return { job, recipe: `${operator}:${failed?.ordinal ?? job.parent.ordinal}:${others.join(',')}` }
}

function chooseParent(
  { archive, config, campaign }: CampaignState,
  island: IslandId | undefined,
  rng: Rng,
): Member {
  const { declined } = campaign.control
  const all = archive.members(island)
  const wanted = all.filter(({ elite }) => !declined.includes(elite.ordinal))
  // If all are declined, a declined parent is better than none.
  const members = wanted.length === 0 ? all : wanted
  const best = findBest({ members: () => members }, config.objectives)
  const champion = members.find(({ elite }) => elite === best)
  const chosen =
    config.search.policy === 'champion'
      ? champion
      : sampleParent(members, config.objectives, campaign.search.children, rng)
  if (chosen === undefined)
    throw new RangeError('chooseParent: the archive is empty, the baseline was not admitted')
  return chosen
}

// The migrant comes first, so that a crossover uses it. It replaces a neighbour.
function withMigrant(
  state: CampaignState,
  near: readonly Elite[],
  ordinal: number,
  rng: Rng,
): readonly Elite[] {
  const { archive, config, campaign } = state
  const from = findDonorIsland(ordinal, archive.islands, config.search.migrateEvery)
  if (from === undefined || near.length === 0) return near
  // The root is on every island, so it brings nothing new.
  const members = archive.members(from).filter(({ elite }) => elite.ordinal !== 0)
  const migrant = sampleParent(members, config.objectives, campaign.search.children, rng)
  return migrant === undefined ? near : [migrant.elite, ...near.slice(0, -1)]
}
