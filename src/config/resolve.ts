import type {
  CampaignConfig,
  EvaluationConfig,
  LimitsConfig,
  ScheduleConfig,
  ScopeConfig,
} from './campaign-config.ts'
import { resolveAgent } from './resolve-agent.ts'
import { resolveEmbedder, resolveSearch } from './resolve-search.ts'
import type { CampaignInput } from './schema/campaign.ts'
import { DEFAULT_DOLLARS } from './schema/limits.ts'

/** From the file's snake_case keys to the words of the code. */
export function resolveCampaign(name: string, input: CampaignInput): CampaignConfig {
  return {
    name,
    goal: input.goal,
    constraints: input.constraints,
    acceptance: input.acceptance,
    notes: input.notes,
    scope: resolveScope(input.scope),
    objectives: input.objectives,
    evaluation: resolveEvaluation(input.evaluation),
    search: resolveSearch(input.search),
    embedder: resolveEmbedder(input.search.embedder),
    agent: resolveAgent(input.agent),
    limits: resolveLimits(input.limits),
    pr: input.pr,
    archive: input.archive,
    label: input.label,
    schedule: resolveSchedule(input.schedule),
  }
}

function resolveScope(scope: CampaignInput['scope']): ScopeConfig {
  return {
    editable: scope.editable,
    protected: scope.protected,
    maxFiles: scope.max_files,
    maxLines: scope.max_lines,
    maxFileBytes: scope.max_file_bytes,
    maxChangeBytes: scope.max_change_bytes,
    allowManifests: scope.allow_manifests,
  }
}

function resolveEvaluation(evaluation: CampaignInput['evaluation']): EvaluationConfig {
  return {
    command: evaluation.command,
    setup: evaluation.setup,
    gates: evaluation.gates.map((gate) => {
      const { command, name, timeout_seconds } = typeof gate === 'string' ? { command: gate } : gate
      return {
        name: name ?? command,
        command,
        timeoutSeconds: timeout_seconds ?? evaluation.timeout_seconds,
      }
    }),
    timeoutSeconds: evaluation.timeout_seconds,
    setupTimeoutSeconds: evaluation.setup_timeout_seconds,
    output: evaluation.output,
    files: evaluation.files,
    environment: evaluation.environment,
    isolation: evaluation.isolation,
    network: evaluation.network,
    maxOutputBytes: evaluation.max_output_bytes,
    maxDiskBytes: evaluation.max_disk_mb * 1024 ** 2,
    baselineRuns: evaluation.baseline_runs,
    sampling: {
      minPairs: evaluation.sampling.min_pairs,
      maxPairs: evaluation.sampling.max_pairs,
      confidence: evaluation.sampling.confidence,
    },
    smallestGain: evaluation.sampling.smallest_gain,
    quick: resolveStage(evaluation.quick, evaluation.timeout_seconds),
    heldOut: resolveStage(evaluation.held_out, evaluation.timeout_seconds),
  }
}

function resolveStage<T extends { timeout_seconds?: number | undefined }>(
  stage: T | undefined,
  timeoutSeconds: number,
): (Omit<T, 'timeout_seconds'> & { timeoutSeconds: number }) | undefined {
  if (stage === undefined) return undefined
  const { timeout_seconds, ...rest } = stage
  return { ...rest, timeoutSeconds: timeout_seconds ?? timeoutSeconds }
}

function resolveLimits(limits: CampaignInput['limits']): LimitsConfig {
  return {
    candidates: limits.candidates,
    wallClockMinutes: limits.wall_clock_minutes,
    tokens: limits.tokens,
    dollars: limits.dollars ?? DEFAULT_DOLLARS,
    runnerMinutes: limits.runner_minutes,
    parallel: limits.parallel,
    sameFailure: limits.same_failure,
    candidatesPerDay: limits.candidates_per_day,
    openPulls: limits.open_prs,
    checkpoint: limits.checkpoint,
    dryRun: limits.dry_run,
  }
}

function resolveSchedule(schedule: CampaignInput['schedule']): ScheduleConfig | undefined {
  return schedule && { cron: schedule.cron, timeZone: schedule.time_zone }
}
