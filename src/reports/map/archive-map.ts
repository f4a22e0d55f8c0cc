import type { ArchiveShape } from '../../core/archive/cells.ts'
import { gridSizes } from '../../core/archive/grid.ts'
import type { IslandId } from '../../core/archive/islands.ts'
import type { CampaignState } from '../../core/campaign/campaign.ts'
import { cleanText } from '../../core/clean-text.ts'
import { rankElites } from '../campaign/leaderboard.ts'

/** Colours a cell's text by the rank of its elite between the worst (0) and the best (1). */
export type Shade = (text: string, rank: number) => string

const CELL_WIDTH = 8

/** A cell of the map: the best elite in it. */
export interface MapCell {
  readonly ordinal: number
  readonly gain: number | undefined
  /** Between the worst elite (0) and the best (1). */
  readonly rank: number
}

/** Columns and rows of the map: those of the grid, else about as many boxes as there are cells. */
export function mapSize(shape: ArchiveShape): readonly [columns: number, rows: number] {
  const axes = Math.min(2, shape.kind === 'cvt' ? (shape.centroids[0]?.length ?? 1) : 2)
  const [columns = 1, rows = 1] =
    shape.kind === 'grid' ? shape.sizes : gridSizes(shape.centroids.length, axes)
  return [columns, rows]
}

/** The elite shown for each cell of an island. Ranks compare all islands. */
export function elitesByCell(state: CampaignState, on: IslandId): ReadonlyMap<string, MapCell> {
  const cells = new Map<string, MapCell>()
  const ranked = rankElites(state)
  for (const [index, { island, cell, elite, gain }] of ranked.entries()) {
    if (island !== on) continue
    const rank = 1 - index / Math.max(1, ranked.length - 1)
    if (!cells.has(cell)) cells.set(cell, { ordinal: elite.ordinal, gain, rank })
  }
  return cells
}

/**
 * An island's archive along its first two axes, by `<column>-<row>`. Niches that share a box, such as those that differ
 * only on a third axis, show the best of them.
 */
export function elitesOnMap(state: CampaignState, island: IslandId): ReadonlyMap<string, MapCell> {
  const [columns, rows] = mapSize(state.archive.shape)
  const cells = new Map<string, MapCell>()
  for (const [cell, shown] of elitesByCell(state, island)) {
    const [x = 0, y = 0] = state.archive.centreOf(cell)
    const box = `${boxAt(x, columns)}-${boxAt(y, rows)}`
    if (!cells.has(box)) cells.set(box, shown)
  }
  return cells
}

function boxAt(position: number, boxes: number): number {
  return Math.min(boxes - 1, Math.floor(position * boxes))
}

/** The maps of all islands as text tables: the gain of each niche's best elite in per cent. */
export function renderMap(state: CampaignState, shade: Shade): string {
  const { islands } = state.archive
  const maps = islands.map((island) => {
    const map = renderIsland(state, island, shade)
    return islands.length === 1 ? map : `${island}\n${map}`
  })
  return maps.join('\n\n')
}

function renderIsland(state: CampaignState, island: IslandId, shade: Shade): string {
  const [columns, rows] = mapSize(state.archive.shape)
  const held = elitesOnMap(state, island)
  const lines = Array.from({ length: rows }, (_, index) => {
    const row = rows - 1 - index
    const cells = Array.from({ length: columns }, (_, column) => {
      const cell = held.get(`${column}-${row}`)
      return cell ? shade(renderCell(cell.gain), cell.rank) : '·'.padStart(CELL_WIDTH / 2).padEnd(CELL_WIDTH)
    })
    return `  │${cells.join('│')}│`
  })
  const rule = (left: string, middle: string, right: string): string =>
    `  ${left}${Array.from({ length: columns }, () => '─'.repeat(CELL_WIDTH)).join(middle)}${right}`
  const [across, up] = renderAxes(state)
  const titled = up === undefined ? [] : [`  ${up} ↑`]
  return [
    ...titled,
    rule('┌', '┬', '┐'),
    ...join(lines, rule('├', '┼', '┤')),
    rule('└', '┴', '┘'),
    `  ${across} →`,
    ...renderUndrawn(state).map((line) => `  ${line}`),
  ].join('\n')
}

/** A line for each axis beyond the two that are drawn. */
export function renderUndrawn(state: CampaignState): string[] {
  return renderAxes(state)
    .slice(2)
    .map((axis) => `not drawn: ${axis}; niches along it share a box, which shows the best`)
}

const NAME_CHARACTERS = 1024

/** The names of the axes, in order. Learned axes have names after the first fit. */
export function renderAxes({ config, projection }: CampaignState): string[] {
  const names = [...projection.names]
  return config.search.axes.map((axis) => {
    if (axis.kind === 'metric') return `${axis.metric} (${axis.min} to ${axis.max})`
    if (axis.kind === 'change') return CHANGE_WORDS[axis.change]
    const name = names.shift()
    // Candidates chose these words, and a terminal shows them.
    return name === undefined
      ? 'learned (not fitted yet)'
      : cleanText(`${name.low} … ${name.high}`.replaceAll(/\s/g, ' '), NAME_CHARACTERS)
  })
}

const CHANGE_WORDS = {
  churn: 'lines changed from the root (0 to 255)',
  growth: 'lines grown from the root (−63 to +63)',
  spread: 'files changed from the root (0 to 15)',
} as const

function renderCell(gain: number | undefined): string {
  const percent = (gain ?? 0) * 100
  const text =
    gain === undefined
      ? '■'
      : `${percent >= 0 ? '+' : '−'}${Math.abs(percent).toFixed(Math.abs(percent) < 100 ? 1 : 0)}`
  return text.padStart(CELL_WIDTH - 1).padEnd(CELL_WIDTH)
}

function join(lines: readonly string[], separator: string): string[] {
  return lines.flatMap((line, index) => (index === 0 ? [line] : [separator, line]))
}
