import { findBest, measureArchive } from '../../../core/archive/archive.ts'
import type { CampaignState } from '../../../core/campaign/campaign.ts'
import { candidateId } from '../../../core/candidate/candidate-id.ts'
import { escapeHidden } from '../../../core/hidden-characters.ts'
import { relativeGain } from '../../../core/measuring/objective.ts'
import { findLastIsolation, renderCampaignText } from '../../../reports/campaign/campaign-text.ts'
import { renderMap } from '../../../reports/map/archive-map.ts'
import { printJson } from '../print.ts'
import { loadCampaign, withSession } from '../session.ts'
import { shade } from '../shade.ts'

/** `loreley status`: the status of a campaign. */
export async function status(
  repo: string,
  name: string | undefined,
  { json }: { json?: true },
): Promise<void> {
  await withSession(repo, async (session) => {
    const { state } = await loadCampaign(session, name)
    if (json) return printJson(summarise(state))
    console.log(`${escapeHidden(renderCampaignText(state))}\n\n${renderMap(state, shade)}`)
  })
}

/** A campaign in figures, for JSON output. */
export function summarise(state: CampaignState): Record<string, unknown> {
  const { campaign, config, archive } = state
  const { baseline } = campaign
  const best = findBest(archive, config.objectives)
  const stats = baseline && measureArchive(archive, config.objectives, baseline.value)
  return {
    campaign: campaign.id,
    status: campaign.status,
    root: campaign.root.commit,
    candidates: campaign.finished,
    baseline: baseline?.value[0],
    best: best?.value[0],
    bestCandidate: best && candidateId(campaign.id, best.ordinal),
    measuredAgain: best?.confirmed === true,
    gain: best && baseline && relativeGain(best.value, baseline.value, config.objectives),
    cells: stats?.cells,
    elites: stats?.elites,
    coverage: stats?.coverage,
    qdScore: stats?.qdScore,
    used: campaign.used,
    leftOut: campaign.search.leftOut,
    isolation: findLastIsolation(state),
  }
}
