import type { CampaignState } from './campaign.ts'
import type { Control } from './control.ts'

/** Whether one more candidate may be planned today. Where the time of day changes nothing, no day is counted. */
export function hasRoomToday({ campaign, config }: CampaignState): boolean {
  return (campaign.control.day?.planned ?? 0) < config.limits.candidatesPerDay
}

/** Counts a candidate that was planned today. */
export function countPlanned(control: Control): Control {
  const { day } = control
  return day === undefined ? control : { ...control, day: { ...day, planned: day.planned + 1 } }
}
