import type { IslandId } from '../../core/archive/islands.ts'
import type { CampaignState } from '../../core/campaign/campaign.ts'
import { paddedOrdinal } from '../../core/candidate/candidate-id.ts'
import { renderCount, renderGain } from '../numbers.ts'
import { elitesByCell, elitesOnMap, type MapCell, mapSize, renderAxes, renderUndrawn } from './archive-map.ts'
import { cutRegions } from './regions.ts'
import { escapeXml } from './xml.ts'

const CELL = { width: 92, height: 58, gap: 4 }
const MARGIN = { left: 14, top: 46, right: 14, bottom: 16 }
const NAME_HEIGHT = 18
const ISLAND_TITLE = 24
// Wide enough for most fonts: a truncated name says nothing.
const CHARACTER_WIDTH = 7
const TITLE_CHARACTER_WIDTH = 9

interface Point {
  readonly x: number
  readonly y: number
}

/**
 * The archive's map as a picture, one island below the other. Each niche is a box or region, darker when better, with the
 * gain of its best elite.
 */
export function renderArchiveSvg(state: CampaignState): string {
  const { campaign, archive } = state
  const [columns, rows] = mapSize(archive.shape)
  const [across = '', up] = renderAxes(state)
  const names = [`→ ${across}`, ...(up === undefined ? [] : [`↑ ${up}`]), ...renderUndrawn(state)]
  const held = archive.islands.reduce((sum, island) => sum + elitesByCell(state, island).size, 0)
  const title = `${campaign.id}: ${renderCount(held, 'niche')} filled after ${renderCount(campaign.finished, 'candidate')}`
  const texts = [...names.map(({ length }) => length * CHARACTER_WIDTH), title.length * TITLE_CHARACTER_WIDTH]
  const width = MARGIN.left + Math.max(columns * (CELL.width + CELL.gap), ...texts) + MARGIN.right
  const nameHeight = archive.islands.length === 1 ? 0 : ISLAND_TITLE
  const mapHeight = nameHeight + rows * (CELL.height + CELL.gap)
  const below = MARGIN.top + archive.islands.length * mapHeight
  const height = below + names.length * NAME_HEIGHT + MARGIN.bottom
  const maps = archive.islands.map((island, index) => {
    const top = MARGIN.top + index * mapHeight
    const named =
      nameHeight === 0 ? '' : `<text x="${MARGIN.left}" y="${top + 16}">${escapeXml(island)}</text>\n`
    return named + renderIsland(state, island, { x: MARGIN.left, y: top + nameHeight })
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(`Archive of ${campaign.id}`)}">
<style>${STYLE}</style>
<text class="title" x="${MARGIN.left}" y="22">${escapeXml(title)}</text>
<text x="${MARGIN.left}" y="38">gain over the baseline, candidate</text>
${maps.join('\n')}
${names.map((name, line) => `<text x="${MARGIN.left}" y="${below + 20 + NAME_HEIGHT * line}">${escapeXml(name)}</text>`).join('\n')}
</svg>
`
}

// Colours follow the reader's light or dark mode.
const STYLE = `text{font:12px system-ui,sans-serif;fill:#57606a}.title{font-weight:600;font-size:14px;fill:#24292f}.empty{fill:none;stroke:#d0d7de}.held{fill:#1a7f37}.figure{fill:#fff;font-weight:600;font-size:14px}.id{fill:#fff;font-size:11px}@media(prefers-color-scheme:dark){text{fill:#8b949e}.title{fill:#e6edf3}.empty{stroke:#30363d}}`

function renderIsland(state: CampaignState, island: IslandId, corner: Point): string {
  const { kind } = state.archive.shape
  return (kind === 'grid' ? renderBoxes(state, island, corner) : renderRegions(state, island, corner)).join(
    '\n',
  )
}

function renderBoxes(state: CampaignState, island: IslandId, corner: Point): string[] {
  const [columns, rows] = mapSize(state.archive.shape)
  const held = elitesOnMap(state, island)
  return Array.from({ length: columns * rows }, (_, index) => {
    const column = index % columns
    const row = Math.floor(index / columns)
    const x = corner.x + column * (CELL.width + CELL.gap)
    const y = corner.y + (rows - 1 - row) * (CELL.height + CELL.gap)
    const outline = `rect x="${x}" y="${y}" width="${CELL.width}" height="${CELL.height}" rx="6"`
    const centre = { x: x + CELL.width / 2, y: y + CELL.height / 2 }
    return renderNiche(outline, centre, held.get(`${column}-${row}`))
  })
}

function renderRegions(state: CampaignState, island: IslandId, corner: Point): string[] {
  const { shape } = state.archive
  const [columns, rows] = mapSize(shape)
  const held = elitesByCell(state, island)
  const at = ([x, y]: readonly [number, number]): Point => ({
    x: Math.round(corner.x + x * columns * (CELL.width + CELL.gap)),
    y: Math.round(corner.y + (1 - y) * rows * (CELL.height + CELL.gap)),
  })
  const drawn = cutRegions(shape.kind === 'cvt' ? shape.centroids : []).map(({ cell, centre, corners }) => {
    const points = corners.map(at).map(({ x, y }) => `${x},${y}`)
    const middle = at(centre)
    const outline =
      corners.length > 0
        ? `polygon points="${points.join(' ')}" stroke="#d0d7de"`
        : `circle cx="${middle.x}" cy="${middle.y}" r="${held.has(cell) ? 24 : 4}"`
    return { cell: held.get(cell), svg: renderNiche(outline, middle, held.get(cell)) }
  })
  // Later shapes lie on top: where regions overlap, the best is visible.
  return drawn.sort((a, b) => (a.cell?.rank ?? -1) - (b.cell?.rank ?? -1)).map(({ svg }) => svg)
}

/** `outline` is an element's name with the attributes that shape it. */
function renderNiche(outline: string, { x, y }: Point, held: MapCell | undefined): string {
  if (held === undefined) return `<${outline} class="empty"/>`
  const opacity = (0.6 + 0.4 * held.rank).toFixed(2)
  return `<${outline} class="held" fill-opacity="${opacity}"/><text class="figure" x="${x}" y="${y - 2}" text-anchor="middle">${escapeXml(renderGain(held.gain))}</text><text class="id" x="${x}" y="${y + 15}" text-anchor="middle">${paddedOrdinal(held.ordinal)}</text>`
}
