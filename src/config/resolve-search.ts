import type { SearchConfig } from '../core/campaign/engine-config.ts'
import { LENSES, type Lens } from '../core/planning/operators.ts'
import type { Axis, DescriptorMode } from '../core/space/descriptor.ts'
import type { EmbedderConfig } from './campaign-config.ts'
import type { CampaignInput } from './schema/campaign.ts'
import { MAX_AXES } from './schema/search.ts'

type SearchInput = CampaignInput['search']

/** How the search goes on, in the words of the code. */
export function resolveSearch(search: SearchInput): SearchConfig {
  const descriptor = search.descriptor ?? (search.axes === undefined ? 'delta' : 'metrics')
  return {
    policy: search.policy,
    seed: search.seed,
    window: search.window,
    archive: search.archive,
    cells: search.cells,
    warmUp: search.warm_up,
    front: search.front,
    islands: search.islands,
    migrateEvery: search.migrate_every,
    inspirations: search.inspirations,
    operators: search.operators,
    lenses: search.lenses.map(resolveLens),
    plateau: search.plateau,
    descriptor,
    axes: resolveAxes(descriptor, search),
  }
}

function resolveAxes(
  descriptor: DescriptorMode,
  { axes: declared, learned_axes: wanted }: Pick<SearchInput, 'axes' | 'learned_axes'>,
): Axis[] {
  if (descriptor === 'metrics')
    return (declared ?? [{ change: 'churn' }, { change: 'growth' }]).map(resolveAxis)
  const own = (declared ?? []).map(resolveAxis)
  const learned = Math.min(wanted, MAX_AXES - own.length)
  return [...Array.from({ length: learned }, () => ({ kind: 'learned' }) as const), ...own]
}

function resolveAxis(axis: NonNullable<SearchInput['axes']>[number]): Axis {
  return 'metric' in axis ? { kind: 'metric', ...axis } : { kind: 'change', change: axis.change }
}

function resolveLens(lens: SearchInput['lenses'][number]): Lens {
  if (typeof lens !== 'string') return lens
  return LENSES.find(({ name }) => name === lens) ?? { name: lens, ask: '' }
}

export function resolveEmbedder(embedder: SearchInput['embedder']): EmbedderConfig {
  return {
    use: embedder.use,
    dimensions: embedder.dimensions,
    extensions: embedder.extensions,
    sendDimensions: embedder.send_dimensions,
    needsKey: embedder.needs_key,
    model: embedder.model,
    baseUrl: embedder.base_url,
    keyVariable: embedder.key_variable,
    dollarsPerMillionTokens: embedder.dollars_per_million_tokens,
    command: embedder.command,
  }
}
