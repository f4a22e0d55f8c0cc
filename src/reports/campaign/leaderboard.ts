import { type Elite, findBest, type Member, nicheName } from '../../core/archive/archive.ts'
import type { CampaignState } from '../../core/campaign/campaign.ts'
import { candidateId } from '../../core/candidate/candidate-id.ts'
import { compareValues, relativeGain } from '../../core/measuring/objective.ts'
import { renderHeldOut, renderHeldOutGain } from '../candidate/measurement-text.ts'
import { renderGain, renderNumber } from '../numbers.ts'

export interface RankedElite extends Member {
  readonly gain: number | undefined
}

/**
 * The elites: first the one that the campaign calls its best, then the others by their numbers, of equals the older one.
 * Where numbers vary the largest is often the luckiest: it is not the best before it stands out.
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

/** Whether numbers vary, so that it matters which runs they come from. */
export function isNoisy({ campaign }: CampaignState): boolean {
  return campaign.baseline?.deterministic === false
}

/** Where a row's number comes from, in one word: the runs that chose it, or later ones. */
export function renderMeasured({ ordinal, confirmed }: Elite): string {
  if (ordinal === 0) return ''
  return confirmed === true ? 'again' : 'once'
}

/** How far the best's number can be trusted: the one that a candidate was chosen for flatters it. */
export function renderTrust(state: CampaignState, { interval, confirmed, heldOut }: Elite): string {
  const isOver = state.campaign.status.phase === 'finished'
  const left = renderHeldOut(heldOut).map((line) => `. ${line}`)
  if (confirmed === true) return `, measured again${left}`
  if (interval !== undefined)
    return isOver ? ', not measured again: part of it may be luck' : ', not measured again yet'
  const untried = state.config.evaluation.heldOut !== undefined && heldOut === undefined
  return untried ? `, not tried on held-out inputs${isOver ? '' : ' yet'}` : `${left}`
}

const ROWS = 10

interface Place {
  readonly commitUrl?: ((commit: string) => string) | undefined
  readonly eliteNote?: string | undefined
}

/** The leading elites as a table of Markdown, each with where its numbers come from. */
export function renderLeaderboard(state: CampaignState, { commitUrl, eliteNote }: Place): string[] {
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
  const heldOut = hasHeldOut ? ['gain, held-out'] : []
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
