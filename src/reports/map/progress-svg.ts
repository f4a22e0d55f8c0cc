import type { CampaignState } from '../../core/campaign/campaign.ts'
import { renderCount, renderNumber } from '../numbers.ts'
import { escapeXml } from './xml.ts'

const SIZE = { width: 640, height: 220 }
const MARGIN = { left: 70, top: 34, right: 20, bottom: 34 }

/** The best value over the candidates, as a picture: a step at each improvement. */
export function renderProgressSvg({ campaign, config }: CampaignState): string {
  const { bests } = campaign.control
  const metric = config.objectives[0]?.metric ?? ''
  const last = Math.max(1, campaign.finished)
  const values = bests.map(({ value }) => value)
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const x = (finished: number): number =>
    MARGIN.left + (finished / last) * (SIZE.width - MARGIN.left - MARGIN.right)
  const y = (value: number): number =>
    SIZE.height -
    MARGIN.bottom -
    ((value - least) / (most - least || 1)) * (SIZE.height - MARGIN.top - MARGIN.bottom)
  const steps = bests.map(({ finished, value }, index) =>
    index === 0 ? `M${at(x(finished))} ${at(y(value))}` : `H${at(x(finished))}V${at(y(value))}`,
  )
  const path = bests.length === 0 ? '' : `<path class="line" d="${steps.join('')}H${at(x(last))}"/>`
  const scale =
    bests.length === 0 ? [] : [label(y(most), most), ...(most === least ? [] : [label(y(least), least)])]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${SIZE.height}" width="${SIZE.width}" height="${SIZE.height}" role="img" aria-label="${escapeXml(`Progress of ${campaign.id}`)}">
<style>${STYLE}</style>
<text class="title" x="${MARGIN.left}" y="20">${escapeXml(`best ${metric} after ${renderCount(campaign.finished, 'candidate')}`)}</text>
<path class="axis" d="M${MARGIN.left} ${MARGIN.top}V${SIZE.height - MARGIN.bottom}H${SIZE.width - MARGIN.right}"/>
${path}
${scale.join('\n')}
<text x="${MARGIN.left}" y="${SIZE.height - 12}">0</text>
<text x="${SIZE.width - MARGIN.right}" y="${SIZE.height - 12}" text-anchor="end">${campaign.finished}</text>
</svg>
`
}

const STYLE = `text{font:12px system-ui,sans-serif;fill:#57606a}.title{font-weight:600;font-size:14px;fill:#24292f}.axis{fill:none;stroke:#d0d7de}.line{fill:none;stroke:#1a7f37;stroke-width:2.5}@media(prefers-color-scheme:dark){text{fill:#8b949e}.title{fill:#e6edf3}.axis{stroke:#30363d}.line{stroke:#3fb950}}`

function label(y: number, value: number): string {
  return `<text x="${MARGIN.left - 8}" y="${at(y + 4)}" text-anchor="end">${escapeXml(renderNumber(value))}</text>`
}

function at(coordinate: number): string {
  return `${Math.round(coordinate * 10) / 10}`
}
