import { candidateId } from '../../../core/candidate/candidate-id.ts'
import { LoreleyError } from '../../../errors.ts'
import { rankElites, renderTrust } from '../../../reports/campaign/leaderboard.ts'
import { renderGain, renderNumber } from '../../../reports/numbers.ts'
import { eliteRef } from '../../../store/layout.ts'
import { listElites } from '../../../store/local-refs.ts'
import { print, printJson } from '../print.ts'
import { loadCampaign, withSession } from '../session.ts'

/** `loreley best`: the best candidate and how to get it. */
export async function best(repo: string, name: string | undefined, { json }: { json?: true }): Promise<void> {
  await withSession(repo, async (session) => {
    const { state } = await loadCampaign(session, name)
    const { campaign, config } = state
    const [ranked] = rankElites(state)
    if (ranked === undefined) {
      throw new LoreleyError(
        'candidate-unknown',
        `${campaign.id} has no elite yet.`,
        'Run it first: `loreley run`.',
      )
    }
    const { cell, island, gain } = ranked
    const { ordinal, commit, value } = ranked.elite
    const candidate = candidateId(campaign.id, ordinal)
    const published = await listElites(session.git.repository, campaign.id)
    const hidden = eliteRef(campaign.id, ranked, 'hidden')
    const branch = published.has(hidden) ? hidden : eliteRef(campaign.id, ranked).replace('refs/heads/', '')
    const metrics = Object.fromEntries(config.objectives.map(({ metric }, index) => [metric, value[index]]))
    if (json) return printJson({ candidate, commit, branch, island, cell, metrics, gain })
    const figures = Object.entries(metrics).map(
      ([metric, number]) => `${metric} ${renderNumber(number ?? Number.NaN)}`,
    )
    print(
      `${candidate}: ${figures.join(', ')} (${renderGain(gain)} over the baseline)${ordinal === 0 ? '' : renderTrust(state, ranked.elite)}`,
    )
    if (ordinal === 0) print('No candidate has beaten the baseline yet.')
    print(
      `commit  ${commit}\nbranch  ${branch}\nshow    loreley show ${candidate} --against root\ntry     git switch --detach ${branch}`,
    )
  })
}
