import type { Limits } from './budget.ts'
import type { CampaignState } from './campaign.ts'
import { withControl } from './pulls.ts'

/** Limits that a person may set by command. */
export const SPOKEN_LIMITS = ['candidates', 'dollars', 'tokens', 'runnerMinutes', 'parallel'] as const
export type SpokenLimit = (typeof SPOKEN_LIMITS)[number]

/** What somebody said, and what the config said then. */
export interface Spoken {
  readonly amount: number
  readonly instead?: number | undefined
}

export type SpokenLimits = Readonly<Partial<Record<SpokenLimit, Spoken>>>

/** Sets a limit by command. It holds until the config says another number for the same limit than it did. */
export function speakLimit(state: CampaignState, name: SpokenLimit, amount: number): CampaignState {
  const { limits } = state.config
  const { spoken = {} } = state.campaign.control
  const known = spoken[name]
  const instead = known === undefined ? limits[name] : known.instead
  const config = { ...state.config, limits: { ...limits, [name]: amount } }
  return withControl({ ...state, config }, { spoken: { ...spoken, [name]: { amount, instead } } })
}

/** The limits that count, given what the config says now: a command yields only to a later edit of the same limit. */
export function hearLimits(given: Limits, spoken: SpokenLimits = {}): Limits {
  const held = SPOKEN_LIMITS.flatMap((name) => {
    const said = spoken[name]
    return said === undefined || said.instead !== given[name] ? [] : [[name, said.amount]]
  })
  return { ...given, ...Object.fromEntries(held) }
}

/** The state with the config's limits, as far as no command holds; commands that the config overruled are forgotten. */
export function withGivenLimits(state: CampaignState, given: Limits): CampaignState {
  const { spoken } = state.campaign.control
  const changed = { ...state, config: { ...state.config, limits: hearLimits(given, spoken) } }
  if (spoken === undefined) return changed
  const held = SPOKEN_LIMITS.filter(
    (name) => spoken[name] !== undefined && spoken[name].instead === given[name],
  )
  const kept: SpokenLimits = Object.fromEntries(held.map((name) => [name, spoken[name]]))
  return withControl(changed, { spoken: held.length === 0 ? undefined : kept })
}
