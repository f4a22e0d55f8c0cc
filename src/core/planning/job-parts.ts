import type { CampaignState } from '../campaign/campaign.ts'
import type { ParentRef } from '../campaign/job.ts'
import { pickWeighted, type Rng } from '../rng.ts'
import { weighOperators } from './breeding.ts'
import { OPERATORS, type Operator } from './operators.ts'

/**
 * Draws an operator by its weight. `champion` breeds only from the best, so it never uses `fresh` or `repair`, which have
 * other parents. `adaptive` needs no `fresh`: its independent arm starts from the root.
 */
export function drawOperator(
  { config, campaign }: CampaignState,
  can: { readonly crossover: boolean; readonly repair: boolean },
  rng: Rng,
): Operator {
  const { policy, operators } = config.search
  const possible: Readonly<Record<Operator, boolean>> = {
    mutate: true,
    structural: true,
    crossover: can.crossover,
    fresh: policy === 'qd',
    repair: policy !== 'champion' && can.repair,
  }
  const { breeding } = campaign.search
  const wanted = breeding ? weighOperators(breeding, operators) : operators
  const weights = OPERATORS.map((operator) => (possible[operator] ? wanted[operator] : 0))
  return weights.some((weight) => weight > 0) ? (OPERATORS[pickWeighted(weights, rng)] ?? 'mutate') : 'mutate'
}

export function rootRef({ campaign }: CampaignState): ParentRef {
  return { ordinal: 0, commit: campaign.root.commit, tree: campaign.root.tree }
}

export function refOf({ ordinal, commit, tree }: ParentRef): ParentRef {
  return { ordinal, commit, tree }
}
