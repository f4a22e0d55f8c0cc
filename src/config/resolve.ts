import type { SearchConfig } from '../core/campaign/engine-config.ts'
import { LENSES, type Lens } from '../core/planning/operators.ts'
import type { Axis, DescriptorMode } from '../core/space/descriptor.ts'
import type { AgentConfig, CampaignConfig, EvaluationConfig, LimitsConfig } from './campaign-config.ts'
import { type CamelKeys, toCamelKeys, toSnakeKeys } from './key-case.ts'
import type { CampaignInput } from './schema/campaign.ts'
import { DEFAULT_DOLLARS } from './schema/limits.ts'
import { MAX_AXES } from './schema/search.ts'

// Most fields only change the case of their key, and key-case.ts does that for all of them. The sections below differ
// in more than that, and each has its inverse.
type Input = CamelKeys<CampaignInput>

/** One campaign of the file as the code uses it. */
export function resolveCampaign(name: string, input: CampaignInput): CampaignConfig {
  const { evaluation, search, limits, ...same } = toCamelKeys(input)
  return {
    ...same,
    name,
    evaluation: resolveEvaluation(evaluation),
    search: resolveSearch(search),
    embedder: search.embedder,
    agent: resolveAgent(input.agent),
    limits: resolveLimits(limits),
  }
}

/**
 * A campaign with the keys of the file, for storing it. Resolving the result gives an equal config. Made from the
 * config itself, so that overrides from the command line are stored too.
 */
export function toCampaignInput(config: CampaignConfig): CampaignInput {
  const { name: _name, embedder, ...same } = config
  return toSnakeKeys<CampaignInput>({
    ...same,
    evaluation: toEvaluationInput(config.evaluation),
    search: toSearchInput(config.search, embedder),
    limits: toLimitsInput(config.limits),
  })
}

function resolveEvaluation(evaluation: Input['evaluation']): EvaluationConfig {
  const { gates, maxDiskMb, sampling, quick, heldOut, ...same } = evaluation
  const { smallestGain, ...plan } = sampling
  const withTimeout = <T extends { readonly timeoutSeconds?: number | undefined }>(stage: T) => ({
    ...stage,
    timeoutSeconds: stage.timeoutSeconds ?? same.timeoutSeconds,
  })
  return {
    ...same,
    gates: gates
      .map((gate) => (typeof gate === 'string' ? { command: gate } : gate))
      .map((gate) => ({ ...withTimeout(gate), name: gate.name ?? gate.command })),
    maxDiskBytes: maxDiskMb * 1024 ** 2,
    sampling: plan,
    smallestGain,
    quick: quick && withTimeout(quick),
    heldOut: heldOut && withTimeout(heldOut),
  }
}

function toEvaluationInput(evaluation: EvaluationConfig): Input['evaluation'] {
  const { maxDiskBytes, sampling, smallestGain, ...same } = evaluation
  return { ...same, maxDiskMb: maxDiskBytes / 1024 ** 2, sampling: { ...sampling, smallestGain } }
}

function resolveSearch(search: Input['search']): SearchConfig {
  const { embedder: _embedder, learnedAxes, ...same } = search
  const descriptor = search.descriptor ?? (search.axes === undefined ? 'delta' : 'metrics')
  return {
    ...same,
    lenses: search.lenses.map(resolveLens),
    descriptor,
    axes: resolveAxes(descriptor, search.axes, learnedAxes),
  }
}

function toSearchInput(search: SearchConfig, embedder: CampaignConfig['embedder']): Input['search'] {
  const declared = search.axes.flatMap(toAxisInput)
  return {
    ...search,
    lenses: search.lenses.map((lens) => (LENSES.includes(lens) ? lens.name : lens)),
    // Fewer than two only if declared axes left no room for more. Then any number gives the same axes.
    learnedAxes: Math.max(2, search.axes.filter(({ kind }) => kind === 'learned').length),
    axes: declared.length === 0 ? undefined : declared,
    embedder,
  }
}

function resolveAxes(
  descriptor: DescriptorMode,
  declared: Input['search']['axes'],
  wanted: number,
): readonly Axis[] {
  if (descriptor === 'metrics')
    return (declared ?? [{ change: 'churn' }, { change: 'growth' }]).map(resolveAxis)
  const own = (declared ?? []).map(resolveAxis)
  const learned = Math.min(wanted, MAX_AXES - own.length)
  return [...Array.from({ length: learned }, () => ({ kind: 'learned' }) as const), ...own]
}

function resolveAxis(axis: NonNullable<Input['search']['axes']>[number]): Axis {
  return 'metric' in axis ? { kind: 'metric', ...axis } : { kind: 'change', change: axis.change }
}

// Learned axes follow from the descriptor.
function toAxisInput(axis: Axis): NonNullable<Input['search']['axes']> {
  if (axis.kind === 'learned') return []
  return axis.kind === 'metric'
    ? [{ metric: axis.metric, min: axis.min, max: axis.max }]
    : [{ change: axis.change }]
}

function resolveLens(lens: Input['search']['lenses'][number]): Lens {
  if (typeof lens !== 'string') return lens
  return LENSES.find(({ name }) => name === lens) ?? { name: lens, ask: '' }
}

/** The section `agent`. */
export function resolveAgent(agent: CampaignInput['agent']): AgentConfig {
  const { openai, ...same } = toCamelKeys(agent)
  return {
    ...same,
    planner: same.planner ?? same.use,
    openai: openai && {
      ...openai,
      models: openai.models.map(({ price, ...model }) => ({
        ...model,
        price: price && { ...price, cachedInput: price.cachedInput ?? price.input },
      })),
    },
  }
}

function resolveLimits({ openPrs, ...same }: Input['limits']): LimitsConfig {
  return { ...same, dollars: same.dollars ?? DEFAULT_DOLLARS, openPulls: openPrs }
}

function toLimitsInput({ openPulls, ...same }: LimitsConfig): Input['limits'] {
  return {
    ...same,
    dollars: same.dollars === DEFAULT_DOLLARS ? undefined : same.dollars,
    openPrs: openPulls,
  }
}
