import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Archive, Elite } from '../src/core/archive/archive.ts'
import { createArchive } from '../src/core/archive/cell-archive.ts'
import type { ArchiveKind, ArchiveShape } from '../src/core/archive/cells.ts'
import { createCentroids } from '../src/core/archive/cvt.ts'
import type { Objective } from '../src/core/measuring/objective.ts'
import { sampleInspirations, sampleParent } from '../src/core/planning/parents.ts'
import { type Rng, rngFor } from '../src/core/rng.ts'
import { measureRebuild } from './archive-rebuild.ts'
import { type Bench, type BenchOptions, type BenchReport, rounded } from './bench.ts'
import { measureFits } from './fit-time.ts'

/** How fast archives are at what a campaign does with them. */
export const archiveBench: Bench = {
  about: 'adds, samples and neighbours a second of both archives, and a rebuild from a long ledger',
  run: runArchive,
}

const SIDE = 16
const DRAWS = 2000
const CHUNK = 1000
const ONE: readonly Objective[] = [{ metric: 'value', direction: 'maximize' }]
const TWO: readonly Objective[] = [...ONE, { metric: 'time', direction: 'minimize' }]

async function runArchive(options: BenchOptions): Promise<BenchReport> {
  const sizes = options.quick ? [1e3, 1e4] : [1e3, 1e4, 1e5, 1e6]
  const rows = sizes.flatMap((candidates) => {
    options.log(`${candidates} candidates`)
    return [
      measureKind('grid', ONE, candidates),
      measureKind('cvt', ONE, candidates),
      measureKind('cvt', TWO, candidates),
    ]
  })
  const place = join(options.place, 'rebuild')
  await mkdir(place)
  const rebuilt = await measureRebuild({ ...options, place }, options.quick ? 1e4 : 1e5)
  const last = (kind: ArchiveKind): Row | undefined =>
    rows.findLast((row) => row.archive === kind && row.objectives === 1)
  return {
    headline: {
      grid_adds_per_s: last('grid')?.adds_per_s ?? 0,
      cvt_adds_per_s: last('cvt')?.adds_per_s ?? 0,
      samples_per_s: Math.min(last('grid')?.samples_per_s ?? 0, last('cvt')?.samples_per_s ?? 0),
      rebuild_s: rebuilt.rebuild_s,
    },
    details: { cells: SIDE * SIDE, fit_cpu_s: measureFits(), rebuild: rebuilt, per_archive: rows },
  }
}

interface Row {
  readonly archive: ArchiveKind
  readonly objectives: number
  readonly candidates: number
  readonly elites: number
  readonly adds_per_s: number
  /** Choices of a parent and its inspirations. */
  readonly samples_per_s: number
  /** Choices of inspirations around a given parent. */
  readonly neighbours_per_s: number
}

function measureKind(kind: ArchiveKind, objectives: readonly Objective[], candidates: number): Row {
  const archive = createArchive(shapeOf(kind), { objectives, front: 4 })
  const addMs = fill(archive, objectives.length, candidates)
  const members = archive.members()
  const [parent] = members
  const sampleMs = timeDraws((rng) => {
    const drawn = sampleParent(archive.members(), objectives, {}, rng)
    if (drawn !== undefined) sampleInspirations(archive, drawn, 3, rng)
  })
  const neighbourMs = timeDraws((rng) => {
    if (parent !== undefined) sampleInspirations(archive, parent, 3, rng)
  })
  return {
    archive: kind,
    objectives: objectives.length,
    candidates,
    elites: members.length,
    adds_per_s: perSecond(candidates, addMs),
    samples_per_s: perSecond(DRAWS, sampleMs),
    neighbours_per_s: perSecond(DRAWS, neighbourMs),
  }
}

function shapeOf(kind: ArchiveKind): ArchiveShape {
  return kind === 'grid'
    ? { kind, sizes: [SIDE, SIDE] }
    : { kind, centroids: createCentroids(SIDE * SIDE, 2, 1) }
}

// Candidates are made chunk by chunk outside the clock: a million at once would time the memory.
function fill(archive: Archive, objectives: number, candidates: number): number {
  const rng = rngFor(1, 0, 'bench')
  let ms = 0
  for (let first = 0; first < candidates; first += CHUNK) {
    const elites = Array.from({ length: CHUNK }, (_, index) => createElite(first + index, objectives, rng))
    const started = performance.now()
    for (const elite of elites) archive.add(elite)
    ms += performance.now() - started
  }
  return ms
}

function createElite(ordinal: number, objectives: number, rng: Rng): Elite {
  return {
    ordinal,
    commit: '',
    tree: '',
    value: Array.from({ length: objectives }, () => rng.unit()),
    descriptor: [rng.unit(), rng.unit()],
  }
}

function timeDraws(draw: (rng: Rng) => void): number {
  const started = performance.now()
  for (let ordinal = 0; ordinal < DRAWS; ordinal++) draw(rngFor(1, ordinal, 'bench'))
  return performance.now() - started
}

function perSecond(count: number, ms: number): number {
  return rounded((1000 * count) / ms, 0)
}
