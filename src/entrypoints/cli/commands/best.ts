import { candidateId } from '../../../core/candidate/candidate-id.ts'
import { LoreleyError } from '../../../errors.ts'
import { rankElites, renderTrust } from '../../../reports/campaign/leaderboard.ts'
import { renderGain, renderNumber } from '../../../reports/numbers.ts'
import { eliteRef } from '../../../store/layout.ts'
import { listElites } from '../../../store/local-refs.ts'
import { loadCampaign, withSession } from '../session.ts'

/** `loreley best`: the best candidate and how to get it. */
export async function best(repo: string, name: string | undefined, { json }: { json?: true }): Promise<void> {
  await withSession(repo, async (session) => {
    const { state } = await loadCampaign(session, name)
    const { campaign, config } = state
    const [standing] = rankElites(state)
    if (standing === undefined) {
      throw new LoreleyError(
        'candidate-unknown',
        `${campaign.id} has no elite yet.`,
        'Let it run: `loreley run`.',
      )
    }
    const { cell, island, gain } = standing
    const { ordinal, commit, value } = standing.elite
    const candidate = candidateId(campaign.id, ordinal)
    const published = await listElites(session.git.repository, campaign.id)
    const hidden = eliteRef(campaign.id, standing, 'hidden')
    const branch = published.has(hidden) ? hidden : eliteRef(campaign.id, standing).replace('refs/heads/', '')
    const metrics = Object.fromEntries(config.objectives.map(({ metric }, index) => [metric, value[index]]))
    if (json) return console.log(JSON.stringify({ candidate, commit, branch, island, cell, metrics, gain }))
    const figures = Object.entries(metrics).map(
      ([metric, number]) => `${metric} ${renderNumber(number ?? Number.NaN)}`,
    )
    console.log(
      `${candidate}: ${figures.join(', ')} (${renderGain(gain)} on the baseline)${ordinal === 0 ? '' : renderTrust(state, standing.elite)}`,
    )
    if (ordinal === 0) console.log('Nothing has beaten the baseline yet.')
    console.log(
      `commit  ${commit}\nbranch  ${branch}\nlook    loreley show ${candidate} --against root\ntry     git switch --detach ${branch}`,
    )
  })
}
