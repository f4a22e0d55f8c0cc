import type { Limits } from '../core/budget.ts'
import type { SearchConfig } from '../core/campaign.ts'
import type { Objective } from '../core/objective.ts'
import type { CampaignInput } from './schema/campaign.ts'

export interface ScopeConfig {
  readonly editable: readonly string[]
  readonly protected: readonly string[]
  readonly maxFiles: number
  readonly maxFileBytes: number
  readonly maxChangeBytes: number
}

export interface GateConfig {
  readonly name: string
  readonly command: string
  readonly timeoutSeconds: number
}

export interface OutputConfig {
  readonly form: CampaignInput['evaluation']['output']['form']
  /** Always there when the form is json-file. */
  readonly file?: string | undefined
}

export interface EvaluationConfig {
  readonly command: string
  readonly setup?: string | undefined
  readonly gates: readonly GateConfig[]
  readonly timeoutSeconds: number
  readonly setupTimeoutSeconds: number
  readonly output: OutputConfig
  /** Undefined: to be worked out from the commands. */
  readonly files?: readonly string[] | undefined
  readonly environment: readonly string[]
  readonly maxOutputBytes: number
  readonly baselineRuns: number
}

export interface AgentConfig {
  readonly use: CampaignInput['agent']['use']
  readonly timeoutSeconds: number
}

/** The engine's limits, and how many candidates run at once. */
export interface LimitsConfig extends Limits {
  readonly parallel: number
}

export interface ScheduleConfig {
  readonly cron: string
  readonly timeZone: string
}

/** One campaign with every default filled in. */
export interface CampaignConfig {
  readonly name: string
  readonly goal: string
  readonly constraints: readonly string[]
  readonly acceptance: readonly string[]
  readonly notes: string
  readonly scope: ScopeConfig
  readonly objectives: readonly Objective[]
  readonly evaluation: EvaluationConfig
  readonly search: SearchConfig
  readonly agent: AgentConfig
  readonly limits: LimitsConfig
  readonly schedule?: ScheduleConfig | undefined
}

/** All campaigns of a `.loreley.yml`, in the file's order. */
export interface ConfigFile {
  readonly campaigns: ReadonlyMap<string, CampaignConfig>
}
