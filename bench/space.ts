import { type Bench, type BenchOptions, type BenchReport, rounded } from './bench.ts'
import { classify, differenceInterval, shareOf } from './space/classify.ts'
import { readExamples } from './space/examples.ts'
import { changedShare, describedOf, lateSpread, medianDistance, positionsOf } from './space/figures.ts'
import { compareForms } from './space/forms.ts'
import { LINEAGES, type LineageName } from './space/lineages.ts'
import { type Played, play } from './space/play.ts'
import { generateRepository, type MemoryRepository } from './space/repository.ts'

/** Whether the learned space tells kinds of change apart, fills its cells, and holds still. */
export const spaceBench: Bench = {
  about: 'how well learned niches separate kinds of change, fill, and hold still, delta beside repo_state',
  run: runSpace,
}

// The lineage `waves` and the last seed were held back until refits were decided, not until bounds were (docs/reference/benchmarks.md).
const HELD_BACK_SEED = 7
const SETTLED_VERSION = 3

interface Site {
  readonly name: string
  readonly seed: number
  readonly repository: MemoryRepository
}

interface CampaignRow {
  readonly site: string
  readonly lineage: LineageName
  readonly mode: 'delta' | 'repo_state'
  readonly fill: number
  readonly late_spread: number
  readonly variance_kept: number
  readonly median_distance: string
  /** Share of the elites that changed cell, refit by refit. */
  readonly changed: string
  readonly worst_settled: number
}

async function runSpace(options: BenchOptions): Promise<BenchReport> {
  const { quick, log } = options
  const candidates = quick ? 256 : 512
  const lineages = Object.keys(LINEAGES).filter(isLineage)
  const campaigns: CampaignRow[] = []
  const kinds: KindRow[] = []
  const forms: Record<string, unknown>[] = []
  for (const site of await createSites(quick)) {
    const siblings = {
      repository: site.repository,
      lineage: 'siblings',
      candidates,
      seed: site.seed,
    } as const
    const [delta, repoState] = [
      await play({ ...siblings, mode: 'delta' }),
      await play({ ...siblings, mode: 'repo_state' }),
    ]
    campaigns.push(describe(site, { lineage: 'siblings', mode: 'delta' }, delta))
    campaigns.push(describe(site, { lineage: 'siblings', mode: 'repo_state' }, repoState))
    kinds.push(compareKinds(site, delta, repoState))
    forms.push(
      ...compareForms(describedOf(delta), kindsOf(delta)).map((row) => ({ site: site.name, ...row })),
    )
    for (const lineage of lineages.filter((name) => name !== 'siblings')) {
      for (const mode of quick ? (['delta'] as const) : (['delta', 'repo_state'] as const)) {
        const played = await play({ repository: site.repository, mode, lineage, candidates, seed: site.seed })
        campaigns.push(describe(site, { lineage, mode }, played))
      }
    }
    log(`${site.name}: done`)
  }
  return report({ candidates, campaigns, kinds, forms })
}

async function createSites(quick: boolean): Promise<Site[]> {
  const sizes = quick ? [100] : [10, 100, 1000, 10_000]
  const generated = sizes.map((size) => ({
    name: `${size} files`,
    seed: 1,
    repository: generateRepository(size, 1),
  }))
  const heldBack = {
    name: '100 files, held-back seed',
    seed: HELD_BACK_SEED,
    repository: generateRepository(100, HELD_BACK_SEED),
  }
  const examples = quick ? [] : await readExamples()
  return [...examples.map((example) => ({ ...example, seed: 1 })), ...generated, heldBack]
}

function isLineage(name: string): name is LineageName {
  return Object.hasOwn(LINEAGES, name)
}

function describe(
  { name }: Site,
  { lineage, mode }: Pick<CampaignRow, 'lineage' | 'mode'>,
  played: Played,
): CampaignRow {
  const { archive, projection } = played.state
  const changed = played.refits.map((refit) => ({
    at: refit.after.projection.fittedAt,
    version: refit.after.projection.version,
    share: changedShare(refit, played.entries),
  }))
  const settled = changed.filter(({ version }) => version > SETTLED_VERSION).map(({ share }) => share)
  return {
    site: name,
    lineage,
    mode,
    fill: rounded(archive.members().length / archive.cellCount),
    late_spread: rounded(lateSpread(played)),
    variance_kept: rounded(projection.kept),
    median_distance: medianDistance(played).toExponential(1),
    changed: changed.map(({ at, share }) => `${at}:${share.toFixed(2)}`).join(' '),
    worst_settled: rounded(Math.max(0, ...settled), 3),
  }
}

interface KindRow {
  readonly site: string
  readonly kind_accuracy: number
  readonly kind_accuracy_repo_state: number
  readonly chance: number
  readonly gain_low: number
  readonly gain_high: number
}

/** On candidates from the root, which are the same under both modes. */
function compareKinds({ name }: Site, delta: Played, repoState: Played): KindRow {
  const kinds = kindsOf(delta)
  const right = (played: Played): boolean[] =>
    classify(positionsOf(played.state.projection, describedOf(played)), kinds)
  const [ours, theirs] = [right(delta), right(repoState)]
  const [low, high] = differenceInterval(ours, theirs)
  const counts = [...new Set(kinds)].map((kind) => kinds.filter((each) => each === kind).length)
  return {
    site: name,
    kind_accuracy: rounded(shareOf(ours), 3),
    kind_accuracy_repo_state: rounded(shareOf(theirs), 3),
    chance: rounded(Math.max(...counts) / kinds.length, 3),
    gain_low: rounded(low, 3),
    gain_high: rounded(high, 3),
  }
}

function kindsOf(played: Played): string[] {
  return describedOf(played).map(({ ordinal }) => played.kinds.get(ordinal) ?? '')
}

interface Found {
  readonly candidates: number
  readonly campaigns: readonly CampaignRow[]
  readonly kinds: readonly KindRow[]
  readonly forms: readonly Record<string, unknown>[]
}

/** The headline is the worst of all sites and lineages. */
function report({ candidates, campaigns, kinds, forms }: Found): BenchReport {
  const ours = campaigns.filter(({ mode }) => mode === 'delta')
  return {
    headline: {
      fill: Math.min(...ours.map(({ fill }) => fill)),
      kind_accuracy: Math.min(...kinds.map((row) => row.kind_accuracy)),
      kind_accuracy_repo_state: Math.max(...kinds.map((row) => row.kind_accuracy_repo_state)),
      kind_gain_low: Math.min(...kinds.map((row) => row.gain_low)),
      cell_change_rate: Math.max(...ours.map((row) => row.worst_settled)),
    },
    details: { candidates, kinds, campaigns, forms },
  }
}
