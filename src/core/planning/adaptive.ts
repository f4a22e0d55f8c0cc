import type { Elite } from '../archive/archive.ts'
import { type IslandId, islandFor } from '../archive/islands.ts'
import type { CampaignState } from '../campaign/campaign.ts'
import type { Job } from '../campaign/job.ts'
import { pick, type Rng } from '../rng.ts'
import { type Breeder, drawDonor, logGain, NO_BREEDING } from './breeding.ts'
import { drawOperator, refOf, rootRef } from './job-parts.ts'
import { sampleInspirations } from './parents.ts'

/**
 * The policy `adaptive`: breeds from the best estimate, and crosses it with candidates outside its line that beat their
 * own parents.
 */
export function adaptiveJob(state: CampaignState, ordinal: number, rng: Rng): Job {
  const { campaign, config, archive } = state
  const { breeding = NO_BREEDING, repairable } = campaign.search
  const island = islandFor(ordinal, archive.islands)
  const pool = breeding.pool.filter((each) => island === undefined || (each.island ?? island) === island)
  const head = chooseHead(state, pool)
  const donor = drawDonor(breeding, head, pool, config.objectives, rng)
  // A failure on an older parent is not worth a repair.
  const failures = repairable.filter(({ parent }) => parent.ordinal === head.ordinal)
  const operator = drawOperator(state, { crossover: donor !== undefined, repair: failures.length > 0 }, rng)
  const failed = operator === 'repair' ? pick(failures, rng) : undefined
  const given = operator === 'crossover' && donor !== undefined ? [donor] : []
  const near = findInspirations(state, head, island, rng)
  const others = near.filter((elite) => ![donor?.ordinal, head.ordinal].includes(elite.ordinal))
  return {
    ordinal,
    attempt: 1,
    kind: 'candidate',
    operator,
    lens: pick(config.search.lenses, rng).name,
    island,
    parent: refOf(head),
    inspirations: [...given, ...others].slice(0, config.search.inspirations).map(refOf),
    seen: state.ledger.count,
    ...(failed && { repairs: failed.ordinal }),
  }
}

// From this many unfinished children on, the next one costs the head a share of a typical gain: with many candidates in
// flight, some start from a parent close behind.
const MANY_OPEN = 8
const PRICE = 0.3

/** The best point estimate, with a cell or without: waiting for a sure lead would cost more than following chance. */
function chooseHead(state: CampaignState, pool: readonly Breeder[]): Breeder {
  const { campaign, config, jobs } = state
  const { declined } = campaign.control
  const wanted = pool.filter(({ ordinal }) => !declined.includes(ordinal))
  // If all are declined, a declined parent is better than none.
  const [best, ...others] = wanted.length === 0 ? pool : wanted
  if (best === undefined) return { ...rootRef(state), value: campaign.baseline?.value ?? [], line: [] }
  const { typicalGain } = campaign.search.breeding ?? NO_BREEDING
  const open = [...jobs.values()].filter(({ kind }) => kind === 'candidate')
  const worthOf = ({ ordinal, value }: Breeder): number => {
    const unfinished = open.filter(({ parent }) => parent.ordinal === ordinal).length
    const price = (PRICE * typicalGain * Math.max(0, unfinished - MANY_OPEN)) / MANY_OPEN
    return logGain(value, best.value, config.objectives) - price
  }
  return others.reduce((head, each) => (worthOf(each) > worthOf(head) ? each : head), best)
}

function findInspirations(
  { archive, config }: CampaignState,
  head: Breeder,
  island: IslandId | undefined,
  rng: Rng,
): readonly Elite[] {
  const members = archive.members(island)
  const near = members.find(({ elite }) => elite.ordinal === head.ordinal) ?? members[0]
  return near === undefined ? [] : sampleInspirations(archive, near, config.search.inspirations + 1, rng)
}
