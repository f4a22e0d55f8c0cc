import type { CampaignState } from '../campaign/campaign.ts'
import { withControl } from '../campaign/pulls.ts'
import type { CommandableLimit, CommandedLimits, Limits } from './budget.ts'
import { COMMANDABLE_LIMITS } from './budget.ts'

/** Sets a limit by command. It holds until the config changes the same limit. */
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

/** The limits in force. A command overrides the config until a later edit changes the same limit. */
export function effectiveLimits(given: Limits, spoken: CommandedLimits = {}): Limits {
  const held = COMMANDABLE_LIMITS.flatMap((name) => {
    const said = spoken[name]
    return said === undefined || said.instead !== given[name] ? [] : [[name, said.amount]]
  })
  return { ...given, ...Object.fromEntries(held) }
}

/** Applies the config's limits, except where a command still holds. Overruled commands are dropped. */
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
