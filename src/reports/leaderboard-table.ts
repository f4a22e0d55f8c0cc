import { nicheName } from '../core/archive/archive.ts'
import type { CampaignState } from '../core/campaign/campaign.ts'
import { candidateId } from '../core/candidate/candidate-id.ts'
import { isNoisy, rankElites, renderMeasured } from './leaderboard.ts'
import { renderHeldOutGain } from './measurement-text.ts'
import { renderGain, renderNumber } from './numbers.ts'

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
