import { LENSES } from '../core/planning/operators.ts'
import type { Axis } from '../core/space/descriptor.ts'
import type { CampaignConfig, EvaluationConfig, LimitsConfig } from './campaign-config.ts'
import { unresolveAgent } from './resolve-agent.ts'
import type { CampaignInput } from './schema/campaign.ts'
import { DEFAULT_DOLLARS } from './schema/limits.ts'

/**
 * Back to the file's keys, for storing a campaign: `resolveCampaign(name, campaignSchema.parse(…))` gives an
 * equal config. Made from the config itself, so that what the command line changed is stored too.
 */
export function unresolveCampaign(config: CampaignConfig): CampaignInput {
  const { scope, agent, schedule } = config
  return {
    goal: config.goal,
    constraints: [...config.constraints],
    acceptance: [...config.acceptance],
    notes: config.notes,
    scope: {
      editable: [...scope.editable],
      protected: [...scope.protected],
      max_files: scope.maxFiles,
      max_lines: scope.maxLines,
      max_file_bytes: scope.maxFileBytes,
      max_change_bytes: scope.maxChangeBytes,
      allow_manifests: scope.allowManifests,
    },
    objectives: [...config.objectives],
    evaluation: unresolveEvaluation(config.evaluation),
    search: unresolveSearch(config),
    agent: unresolveAgent(agent),
    limits: unresolveLimits(config.limits),
    pr: config.pr,
    archive: config.archive,
    label: config.label,
    schedule: schedule && { cron: schedule.cron, time_zone: schedule.timeZone },
  }
}

function unresolveEvaluation(evaluation: EvaluationConfig): CampaignInput['evaluation'] {
  return {
    command: evaluation.command,
    setup: evaluation.setup,
    gates: evaluation.gates.map(({ name, command, timeoutSeconds }) => ({
      name,
      command,
      timeout_seconds: timeoutSeconds,
    })),
    timeout_seconds: evaluation.timeoutSeconds,
    setup_timeout_seconds: evaluation.setupTimeoutSeconds,
    output: evaluation.output,
    files: evaluation.files && [...evaluation.files],
    environment: [...evaluation.environment],
    isolation: evaluation.isolation,
    network: evaluation.network,
    max_output_bytes: evaluation.maxOutputBytes,
    max_disk_mb: evaluation.maxDiskBytes / 1024 ** 2,
    baseline_runs: evaluation.baselineRuns,
    sampling: {
      min_pairs: evaluation.sampling.minPairs,
      max_pairs: evaluation.sampling.maxPairs,
      confidence: evaluation.sampling.confidence,
      smallest_gain: evaluation.smallestGain,
    },
    quick: evaluation.quick && {
      command: evaluation.quick.command,
      timeout_seconds: evaluation.quick.timeoutSeconds,
      tolerance: evaluation.quick.tolerance,
    },
    held_out: evaluation.heldOut && {
      command: evaluation.heldOut.command,
      timeout_seconds: evaluation.heldOut.timeoutSeconds,
      paths: [...evaluation.heldOut.paths],
    },
  }
}

function unresolveSearch({ search, embedder }: CampaignConfig): CampaignInput['search'] {
  const declared = search.axes.flatMap(unresolveAxis)
  return {
    policy: search.policy,
    seed: search.seed,
    window: search.window,
    archive: search.archive,
    cells: search.cells,
    warm_up: search.warmUp,
    front: search.front,
    islands: search.islands,
    migrate_every: search.migrateEvery,
    inspirations: search.inspirations,
    operators: search.operators,
    lenses: search.lenses.map((lens) => (LENSES.includes(lens) ? lens.name : lens)),
    plateau: search.plateau,
    descriptor: search.descriptor,
    // Fewer than two only where others left no room for more: then any number gives the same axes.
    learned_axes: Math.max(2, search.axes.filter(({ kind }) => kind === 'learned').length),
    axes: declared.length === 0 ? undefined : declared,
    embedder: {
      use: embedder.use,
      dimensions: embedder.dimensions,
      extensions: [...embedder.extensions],
      send_dimensions: embedder.sendDimensions,
      needs_key: embedder.needsKey,
      model: embedder.model,
      base_url: embedder.baseUrl,
      key_variable: embedder.keyVariable,
      dollars_per_million_tokens: embedder.dollarsPerMillionTokens,
      command: embedder.command,
    },
  }
}

// Learned axes follow from the descriptor.
function unresolveAxis(axis: Axis): NonNullable<CampaignInput['search']['axes']> {
  if (axis.kind === 'learned') return []
  return axis.kind === 'metric'
    ? [{ metric: axis.metric, min: axis.min, max: axis.max }]
    : [{ change: axis.change }]
}

function unresolveLimits(limits: LimitsConfig): CampaignInput['limits'] {
  return {
    candidates: limits.candidates,
    wall_clock_minutes: limits.wallClockMinutes,
    tokens: limits.tokens,
    dollars: limits.dollars === DEFAULT_DOLLARS ? undefined : limits.dollars,
    runner_minutes: limits.runnerMinutes,
    parallel: limits.parallel,
    same_failure: limits.sameFailure,
    candidates_per_day: limits.candidatesPerDay,
    open_prs: limits.openPulls,
    checkpoint: limits.checkpoint,
    dry_run: limits.dryRun,
  }
}
