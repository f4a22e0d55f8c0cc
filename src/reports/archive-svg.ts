import type { CampaignState } from '../core/campaign.ts'
import { paddedOrdinal } from '../core/candidate-id.ts'
import { type MapPlace, placesOnMap, renderAxes } from './archive-map.ts'
import { renderGain } from './numbers.ts'

const CELL = { width: 92, height: 58, gap: 4 }
const MARGIN = { left: 14, top: 46, right: 14, bottom: 52 }
// Wide enough for most fonts: a name that is cut off says nothing.
const CHARACTER_WIDTH = 7

/** The archive's map as a picture: a box a niche, darker the better, with the gain of its elite. */
export function renderArchiveSvg(state: CampaignState): string {
  const [columns = 1, rows = 1] = state.archive.shape.sizes
  const [across = '', up = ''] = renderAxes(state)
  const names = [`→ ${across}`, `↑ ${up}`]
  const needed = Math.max(
    columns * (CELL.width + CELL.gap),
    ...names.map((name) => name.length * CHARACTER_WIDTH),
  )
  const width = MARGIN.left + needed + MARGIN.right
  const height = MARGIN.top + rows * (CELL.height + CELL.gap) + MARGIN.bottom
  const held = placesOnMap(state)
  const boxes = Array.from({ length: columns * rows }, (_, index) => {
    const column = index % columns
    const row = Math.floor(index / columns)
    return renderBox(column, row, rows, held.get(`${column}-${row}`))
  })
  const below = height - MARGIN.bottom
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(`Archive of ${state.campaign.id}`)}">
<style>${STYLE}</style>
<text class="title" x="${MARGIN.left}" y="22">${escapeXml(`${state.campaign.id}: ${held.size} niches held after ${state.campaign.finished} candidates`)}</text>
<text x="${MARGIN.left}" y="38">gain on the baseline, candidate</text>
${boxes.join('\n')}
${names.map((name, line) => `<text x="${MARGIN.left}" y="${below + 20 + 18 * line}">${escapeXml(name)}</text>`).join('\n')}
</svg>
`
}

// Colours follow the reader's light or dark setting; a drawing in a README can do that by itself.
const STYLE = `text{font:12px system-ui,sans-serif;fill:#57606a}.title{font-weight:600;font-size:14px;fill:#24292f}.empty{fill:none;stroke:#d0d7de}.held{fill:#1a7f37}.figure{fill:#fff;font-weight:600;font-size:14px}.id{fill:#fff;font-size:11px}@media(prefers-color-scheme:dark){text{fill:#8b949e}.title{fill:#e6edf3}.empty{stroke:#30363d}}`

function renderBox(column: number, row: number, rows: number, place: MapPlace | undefined): string {
  const x = MARGIN.left + column * (CELL.width + CELL.gap)
  const y = MARGIN.top + (rows - 1 - row) * (CELL.height + CELL.gap)
  const box = `x="${x}" y="${y}" width="${CELL.width}" height="${CELL.height}" rx="6"`
  if (place === undefined) return `<rect class="empty" ${box}/>`
  const centre = x + CELL.width / 2
  const opacity = (0.6 + 0.4 * place.standing).toFixed(2)
  return `<rect class="held" ${box} fill-opacity="${opacity}"/><text class="figure" x="${centre}" y="${y + 27}" text-anchor="middle">${escapeXml(renderGain(place.gain))}</text><text class="id" x="${centre}" y="${y + 44}" text-anchor="middle">${paddedOrdinal(place.ordinal)}</text>`
}

/** Text for the inside of an SVG or an attribute. */
export function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
