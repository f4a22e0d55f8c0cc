import { summarise } from '../commands/status.ts'
import type { Site } from './installation.ts'
import { renderFindings } from './output.ts'
import { playCampaign } from './play-campaign.ts'
import { assertKept, evaluateByHand } from './proof.ts'
import type { Stage } from './stage.ts'

const ISSUE = {
  title: 'Pack the circles better',
  body: 'The spiral wastes the corners. A better start, or more patient growing, should help.',
}

/** The first act: from a label to draft pull requests, with a check of every promise. */
export async function playCircles(site: Site, stage: Stage): Promise<Record<string, unknown>> {
  const played = await playCampaign(site, stage, ISSUE)
  const { state, shown } = played
  assertKept(state, shown)
  const hand = await evaluateByHand(site, state, stage.folder)
  stage.say(renderFindings(site, played, hand))
  const { baseline, best, candidates } = summarise(state)
  return { baseline, best, candidates, cells: shown.elites.length, pullRequests: shown.pulls.length }
}
