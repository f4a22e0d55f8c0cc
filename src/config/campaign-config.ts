import type { Limits } from '../core/budget/budget.ts'
import type { SearchConfig } from '../core/campaign/engine-config.ts'
import type { Objective } from '../core/measuring/objective.ts'
import type { SamplingPlan } from '../core/measuring/stats/sampling.ts'
import type { CampaignInput } from './schema/campaign.ts'

export interface ScopeConfig {
  readonly editable: readonly string[]
  readonly protected: readonly string[]
  readonly maxFiles: number
  readonly maxLines: number
  readonly maxFileBytes: number
  readonly maxChangeBytes: number
  readonly allowManifests: boolean
}

export interface GateConfig {
  readonly name: string
  readonly command: string
  readonly timeoutSeconds: number
  readonly expect?: GateExpectation | undefined
}

/** What a gate must leave besides exit code 0. */
export interface GateExpectation {
  /** A regular expression. */
  readonly output?: string | undefined
  readonly junit?: { readonly file: string; readonly tests: number } | undefined
}

export interface OutputConfig {
  readonly form: CampaignInput['evaluation']['output']['form']
  /** Always set when the form is json-file. */
  readonly file?: string | undefined
}

export interface QuickConfig {
  readonly command: string
  readonly timeoutSeconds: number
  readonly tolerance: number
}

export interface HeldOutConfig {
  readonly command: string
  readonly timeoutSeconds: number
  readonly paths: readonly string[]
}

export interface EvaluationConfig {
  readonly command: string
  readonly setup?: string | undefined
  readonly gates: readonly GateConfig[]
  readonly timeoutSeconds: number
  readonly setupTimeoutSeconds: number
  readonly output: OutputConfig
  /** In addition to those derived from the commands. */
  readonly files?: readonly string[] | undefined
  readonly environment: readonly string[]
  readonly isolation: CampaignInput['evaluation']['isolation']
  readonly network: CampaignInput['evaluation']['network']
  readonly maxOutputBytes: number
  readonly maxDiskBytes: number
  readonly baselineRuns: number
  readonly sampling: SamplingPlan
  readonly smallestGain: number
  readonly quick?: QuickConfig | undefined
  readonly heldOut?: HeldOutConfig | undefined
}

type AgentName = CampaignInput['agent']['use']

/** US dollars per million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cachedInput: number
}

export interface ModelConfig {
  readonly name: string
  readonly for: 'both' | 'plan' | 'code'
  readonly weight: number
  readonly contextTokens: number
  readonly maxOutputTokens: number
  /** Undefined means unknown, not free. */
  readonly price?: Price | undefined
  readonly parameters: Record<string, string | number | boolean>
}

export interface OpenAiConfig {
  readonly baseUrl: string
  readonly keyVariable: string
  readonly organization?: string | undefined
  readonly project?: string | undefined
  readonly headers: Record<string, string>
  readonly query: Record<string, string>
  readonly requestTimeoutSeconds: number
  readonly tries: number
  readonly models: readonly ModelConfig[]
}

export interface CommandConfig {
  readonly code: string
  readonly plan?: string | undefined
  readonly brief: 'stdin' | 'file'
  readonly environment: readonly string[]
}

/** What one candidate's agent may spend. */
export interface AgentLimits {
  readonly turns: number
  readonly tokens: number
  readonly dollars?: number | undefined
  readonly bytes: number
}

export interface AgentConfig {
  readonly use: AgentName
  readonly planner: AgentName
  readonly timeoutSeconds: number
  readonly rework: boolean
  readonly check?: string | undefined
  readonly checkTimeoutSeconds: number
  readonly limits: AgentLimits
  readonly openai?: OpenAiConfig | undefined
  readonly command?: CommandConfig | undefined
}

export type LimitsConfig = Limits

export interface PullConfig {
  /** Whether CI runs on a pull request at once, or after a person with write access allows it. */
  readonly ci: CampaignInput['pr']['ci']
}

export interface ArchiveConfig {
  /** Where elites are published. `auto` is decided by code that knows what reacts to branches. */
  readonly refs: CampaignInput['archive']['refs']
}

/** How source text becomes vectors. */
export interface EmbedderConfig {
  readonly use: CampaignInput['search']['embedder']['use']
  readonly dimensions: number
  /** Extensions of files that take part in addition to those of known languages. */
  readonly extensions: readonly string[]
  readonly sendDimensions: boolean
  readonly needsKey: boolean
  readonly model: string
  readonly baseUrl: string
  readonly keyVariable: string
  readonly dollarsPerMillionTokens: number
  /** Always set when `use` is command. */
  readonly command?: string | undefined
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
  readonly embedder: EmbedderConfig
  readonly agent: AgentConfig
  readonly limits: LimitsConfig
  readonly pr: PullConfig
  readonly archive: ArchiveConfig
  /** The label that starts this campaign when it is put on an issue. */
  readonly label: string
  readonly schedule?: ScheduleConfig | undefined
}

/** All campaigns of a `.loreley.yml`, in the file's order. */
export interface ConfigFile {
  readonly campaigns: ReadonlyMap<string, CampaignConfig>
}
