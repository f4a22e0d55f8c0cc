import type { CampaignState } from '../campaign/campaign.ts'
import { withControl } from '../campaign/pulls.ts'
import type { CommandableLimit, CommandedLimits, Limits } from './budget.ts'
import { COMMANDABLE_LIMITS } from './budget.ts'

/** Sets a limit by command. It holds until the config says another number for the same limit than it did. */
export function setLimitByCommand(
  state: CampaignState,
  name: CommandableLimit,
  amount: number,
): CampaignState {
  const { limits } = state.config
  const { spoken = {} } = state.campaign.control
  const known = spoken[name]
  const instead = known === undefined ? limits[name] : known.instead
  const config = { ...state.config, limits: { ...limits, [name]: amount } }
  return withControl({ ...state, config }, { spoken: { ...spoken, [name]: { amount, instead } } })
}

/** The limits that count, given what the config says now: a command yields only to a later edit of the same limit. */
export function effectiveLimits(given: Limits, spoken: CommandedLimits = {}): Limits {
  const held = COMMANDABLE_LIMITS.flatMap((name) => {
    const said = spoken[name]
    return said === undefined || said.instead !== given[name] ? [] : [[name, said.amount]]
  })
  return { ...given, ...Object.fromEntries(held) }
}

/** The state with the config's limits, as far as no command holds; commands that the config overruled are forgotten. */
export function withConfigLimits(state: CampaignState, given: Limits): CampaignState {
  const { spoken } = state.campaign.control
  const changed = { ...state, config: { ...state.config, limits: effectiveLimits(given, spoken) } }
  if (spoken === undefined) return changed
  const held = COMMANDABLE_LIMITS.filter(
    (name) => spoken[name] !== undefined && spoken[name].instead === given[name],
  )
  const kept: CommandedLimits = Object.fromEntries(held.map((name) => [name, spoken[name]]))
  return withControl(changed, { spoken: held.length === 0 ? undefined : kept })
}
