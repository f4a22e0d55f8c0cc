/** The cost of a candidate. */
export interface Usage {
  readonly tokens: number
  readonly dollars: number
  readonly runnerMs: number
  /** Tokens of models whose price is unknown. */
  readonly unpricedTokens?: number | undefined
}

export const NO_USAGE: Usage = { tokens: 0, dollars: 0, runnerMs: 0 }

/** The most that one candidate, and one measurement alone, may cost. */
export interface Reserve extends Usage {
  /** The runner time of a measurement without a model; undefined: the same as a candidate. */
  readonly measuringMs?: number | undefined
  /** The share that the root's noise adds to both; each epoch's root has its own. */
  readonly pairs?: Pairs | undefined
}

/** The cost of interleaving a candidate with the root. */
export interface Pairs {
  readonly runnerMs: number
  readonly measuringMs: number
}

export interface Limits {
  readonly candidates: number
  readonly wallClockMinutes?: number | undefined
  readonly tokens: number
  readonly dollars: number
  readonly runnerMinutes: number
  /** Pause after this many failures in a row for the same reason. */
  readonly sameFailure: number
  /** The most jobs that run at once. */
  readonly parallel: number
  /** The most candidates planned per day (UTC); only used when results are admitted as they arrive. */
  readonly candidatesPerDay: number
  /** The most pull requests open at once. */
  readonly openPulls: number
  /** Pause after this many candidates, repeatedly. */
  readonly checkpoint?: number | undefined
  /** Measure the root and its noise, then stop. */
  readonly dryRun: boolean
}

/** Limits that a person may set with a command. */
export const COMMANDABLE_LIMITS = ['candidates', 'dollars', 'tokens', 'runnerMinutes', 'parallel'] as const
export type CommandableLimit = (typeof COMMANDABLE_LIMITS)[number]

/** A limit set by command, and the config's value at that time. */
export interface CommandedLimit {
  readonly amount: number
  readonly instead?: number | undefined
}

export type CommandedLimits = Readonly<Partial<Record<CommandableLimit, CommandedLimit>>>

export type BudgetStop =
  | 'budget-candidates'
  | 'budget-wall-clock'
  | 'budget-tokens'
  | 'budget-dollars'
  | 'budget-runner-minutes'

export interface Account {
  /** Candidates planned so far, without the baseline. Failed ones count. */
  readonly candidates: number
  readonly activeMs: number
  readonly used: Usage
  /** The most that a candidate may cost. */
  readonly reserved: Reserve
  /** Candidates planned but not yet admitted. */
  readonly inFlight: number
  /** Measurements without a model: those in flight and those the campaign's end will need. */
  readonly measuring: number
}

const MINUTE_MS = 60_000

/** The first budget that one more candidate could exceed, if everything in flight costs its maximum. */
export function findExhausted(limits: Limits, account: Account): BudgetStop | undefined {
  const { used, reserved, inFlight } = account
  const worst = (spent: number, each: number): number => spent + each * (inFlight + 1)
  const wallClockMs = (limits.wallClockMinutes ?? Number.POSITIVE_INFINITY) * MINUTE_MS
  if (account.candidates >= limits.candidates) return 'budget-candidates'
  if (account.activeMs >= wallClockMs) return 'budget-wall-clock'
  if (worst(used.tokens, reserved.tokens) > limits.tokens) return 'budget-tokens'
  if (worst(used.dollars, reserved.dollars) > limits.dollars) return 'budget-dollars'
  if (mostMs({ ...account, inFlight: inFlight + 1 }) > limits.runnerMinutes * MINUTE_MS)
    return 'budget-runner-minutes'
  return undefined
}

/** Whether one more measurement fits, if everything in flight costs its maximum. */
export function canMeasure(limits: Limits, account: Account): boolean {
  return mostMs({ ...account, measuring: account.measuring + 1 }) <= limits.runnerMinutes * MINUTE_MS
}

function mostMs({ used, reserved, inFlight, measuring }: Account): number {
  return used.runnerMs + reserved.runnerMs * inFlight + measuringMsOf(reserved) * measuring
}

/** Adds the cost of the root's noise to the reserve. */
export function withPairs(reserve: Reserve, pairs: Pairs): Reserve {
  return {
    ...reserve,
    runnerMs: reserve.runnerMs + pairs.runnerMs,
    measuringMs: measuringMsOf(reserve) + pairs.measuringMs,
    pairs,
  }
}

/** Removes the cost of the root's noise from the reserve. */
export function withoutPairs({ pairs, ...reserve }: Reserve): Reserve {
  if (pairs === undefined) return reserve
  return {
    ...reserve,
    runnerMs: reserve.runnerMs - pairs.runnerMs,
    measuringMs: measuringMsOf(reserve) - pairs.measuringMs,
  }
}

/** The most runner time that a measurement alone may take. */
export function measuringMsOf({ measuringMs, runnerMs }: Reserve): number {
  return measuringMs ?? runnerMs
}

/** The sum of two costs. */
export function addUsage(a: Usage, b: Usage): Usage {
  const unpricedTokens = finiteSum(a.unpricedTokens ?? 0, b.unpricedTokens ?? 0)
  return {
    tokens: finiteSum(a.tokens, b.tokens),
    dollars: finiteSum(a.dollars, b.dollars),
    runnerMs: finiteSum(a.runnerMs, b.runnerMs),
    ...(unpricedTokens > 0 && { unpricedTokens }),
  }
}

// A state that holds Infinity could not be stored. Earlier versions accepted costs that add up to it.
function finiteSum(a: number, b: number): number {
  return Math.min(a + b, Number.MAX_VALUE)
}

/** The part of a cost beyond its reserve. */
export function excessUsage(cost: Usage, reserved: Usage): Usage {
  const beyond = (spent: number, aside: number): number => Math.max(0, spent - aside)
  return {
    tokens: beyond(cost.tokens, reserved.tokens),
    dollars: beyond(cost.dollars, reserved.dollars),
    runnerMs: beyond(cost.runnerMs, reserved.runnerMs),
  }
}
