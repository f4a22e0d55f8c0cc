import { type Elite, findBest, type Member, nicheName } from '../../core/archive/archive.ts'
import type { CampaignState } from '../../core/campaign/campaign.ts'
import { candidateId } from '../../core/candidate/candidate-id.ts'
import { compareValues, relativeGain } from '../../core/measuring/objective.ts'
import { renderHeldOut, renderHeldOutGain } from '../candidate/measurement-text.ts'
import { renderGain, renderNumber } from '../numbers.ts'

/** An elite with its gain over the baseline. */
export interface RankedElite extends Member {
  readonly gain: number | undefined
}

/**
 * The elites: first the campaign's best, then the others by value; ties put the older first. Where numbers vary, the
 * largest is often the luckiest, so it is not the best until it stands out.
 */
export function rankElites({ archive, config, campaign }: CampaignState): RankedElite[] {
  const { objectives } = config
  const best = findBest(archive, objectives)?.ordinal
  const ranked = [...archive.members()].sort(
    (a, b) =>
      Number(b.elite.ordinal === best) - Number(a.elite.ordinal === best) ||
      compareValues(b.elite.value, a.elite.value, objectives) ||
      a.elite.ordinal - b.elite.ordinal,
  )
  return ranked.map((member) => ({
    ...member,
    gain: campaign.baseline && relativeGain(member.elite.value, campaign.baseline.value, objectives),
  }))
}

/** Whether numbers vary between runs. */
export function isNoisy({ campaign }: CampaignState): boolean {
  return campaign.baseline?.deterministic === false
}

/** Whether a row's number comes from the runs that chose it, or from later ones. */
export function renderMeasured({ ordinal, confirmed }: Elite): string {
  if (ordinal === 0) return ''
  return confirmed === true ? 'again' : 'once'
}

/** How far the best number can be trusted: the one a candidate was chosen for flatters it. */
export function renderTrust(state: CampaignState, { interval, confirmed, heldOut }: Elite): string {
  const isOver = state.campaign.status.phase === 'finished'
  const left = renderHeldOut(heldOut).map((line) => `. ${line}`)
  if (confirmed === true) return `, measured again${left}`
  if (interval !== undefined)
    return isOver ? ', not measured again: it may be partly luck' : ', not measured again yet'
  const untried = state.config.evaluation.heldOut !== undefined && heldOut === undefined
  return untried ? `, not measured on held-out inputs${isOver ? '' : ' yet'}` : `${left}`
}

const ROWS = 10

interface TableLinks {
  readonly commitUrl?: ((commit: string) => string) | undefined
  readonly eliteNote?: string | undefined
}

/** The leading elites as a Markdown table. */
export function renderLeaderboard(state: CampaignState, { commitUrl, eliteNote }: TableLinks): string[] {
  const { campaign, config } = state
  const ranked = rankElites(state).slice(0, ROWS)
  if (ranked.length === 0) return []
  const names = config.objectives.map(
    ({ metric, direction }) => `${metric} ${direction === 'maximize' ? '↑' : '↓'}`,
  )
  const noisy = isNoisy(state)
  const hasHeldOut = ranked.some(({ elite }) => elite.heldOut !== undefined)
  const renderCommit = (commit: string): string => {
    const short = `\`${commit.slice(0, 10)}\``
    return commitUrl === undefined ? short : `[${short}](${commitUrl(commit)})`
  }
  const rows = ranked.map(({ elite, gain, ...niche }) => {
    const note = campaign.control.declined.includes(elite.ordinal) ? ' (declined)' : ''
    const id = elite.ordinal === 0 ? 'baseline' : candidateId(campaign.id, elite.ordinal)
    const cells = [
      `${id}${note}`,
      ...elite.value.map(renderNumber),
      renderGain(gain),
      ...(noisy ? [renderMeasured(elite)] : []),
      ...(hasHeldOut ? [elite.heldOut ? renderHeldOutGain(elite.heldOut.gain, elite.heldOut) : 'n/a'] : []),
      nicheName(niche),
      renderCommit(elite.commit),
    ]
    return `| ${cells.join(' | ')} |`
  })
  const measured = noisy ? ['measured'] : []
  const heldOut = hasHeldOut ? ['held-out gain'] : []
  const head = ['candidate', ...names, 'gain', ...measured, ...heldOut, 'niche', 'commit']
  return [
    '### Leaderboard',
    '',
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---|').join('')}`,
    ...rows,
    ...(eliteNote === undefined ? [] : ['', eliteNote]),
  ]
}
