import type { ModelConfig } from '../../config/campaign-config.ts'
import { pickWeighted } from '../../core/rng.ts'
import type { AgentTask } from '../agent.ts'

/** Chooses among the models that may do a piece of work. A bandit can take the place of the weights. */
export type ModelChooser = (models: readonly ModelConfig[], task: AgentTask) => ModelConfig | undefined

/** By the config's weights, with the candidate's own chance. */
export const chooseByWeight: ModelChooser = (models, { rng }) =>
  models[
    pickWeighted(
      models.map(({ weight }) => weight),
      rng,
    )
  ]

/** The models that may plan, or code. */
export function modelsFor(models: readonly ModelConfig[], use: 'plan' | 'code'): readonly ModelConfig[] {
  return models.filter((model) => model.for === 'both' || model.for === use)
}
