/** What the work of a candidate costs. */
export interface Usage {
  readonly tokens: number
  readonly dollars: number
  readonly runnerMs: number
  /** Tokens of models without a known price: they cost something, but nobody knows how much. */
  readonly unpricedTokens?: number | undefined
}

export const NO_USAGE: Usage = { tokens: 0, dollars: 0, runnerMs: 0 }

/** The most that one candidate may cost, and one measurement by itself. */
export interface Reserve extends Usage {
  /** Measuring once more takes no model, only a machine's time; undefined: as much of it as a candidate. */
  readonly measuringMs?: number | undefined
  /** What of both the root's noise has added; the root of another epoch has its own. */
  readonly pairs?: Pairs | undefined
}

/** What it takes to run a candidate in turns with the root. */
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
  /** How many run at once. */
  readonly parallel: number
  /** The most that are planned on one day (UTC); only where results are admitted as they arrive. */
  readonly candidatesPerDay: number
  /** The most pull requests that are open at once. */
  readonly openPulls: number
  /** Pause after every so many candidates. */
  readonly checkpoint?: number | undefined
  /** Measure the root and its noise, then stop. */
  readonly dryRun: boolean
}

/** Limits that a person may set by command. */
export const COMMANDABLE_LIMITS = ['candidates', 'dollars', 'tokens', 'runnerMinutes', 'parallel'] as const
export type CommandableLimit = (typeof COMMANDABLE_LIMITS)[number]

/** What somebody said, and what the config said then. */
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
  /** Candidates planned so far, without the baseline: a failed one is spent too. */
  readonly candidates: number
  readonly activeMs: number
  readonly used: Usage
  /** What a candidate may cost at most. */
  readonly reserved: Reserve
  /** Candidates that are planned but not yet admitted. */
  readonly inFlight: number
  /** Measurements by themselves: under way, and those that the campaign's end will need. */
  readonly measuring: number
}

const MINUTE_MS = 60_000

/** The first budget that one more candidate could exceed, counting all that is in flight at its most. */
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

/** Whether one more measurement fits, counting all that is in flight at its most. */
export function canMeasure(limits: Limits, account: Account): boolean {
  return mostMs({ ...account, measuring: account.measuring + 1 }) <= limits.runnerMinutes * MINUTE_MS
}

function mostMs({ used, reserved, inFlight, measuring }: Account): number {
  return used.runnerMs + reserved.runnerMs * inFlight + measuringMsOf(reserved) * measuring
}

/** What is set aside with what the root's noise adds to it. */
export function withPairs(reserve: Reserve, pairs: Pairs): Reserve {
  return {
    ...reserve,
    runnerMs: reserve.runnerMs + pairs.runnerMs,
    measuringMs: measuringMsOf(reserve) + pairs.measuringMs,
    pairs,
  }
}

/** What is set aside whatever the root's noise is. */
export function withoutPairs({ pairs, ...reserve }: Reserve): Reserve {
  if (pairs === undefined) return reserve
  return {
    ...reserve,
    runnerMs: reserve.runnerMs - pairs.runnerMs,
    measuringMs: measuringMsOf(reserve) - pairs.measuringMs,
  }
}

/** The most that a measurement by itself may take. */
export function measuringMsOf({ measuringMs, runnerMs }: Reserve): number {
  return measuringMs ?? runnerMs
}

/** The sum of two costs. */
export function addUsage(a: Usage, b: Usage): Usage {
  const unpricedTokens = (a.unpricedTokens ?? 0) + (b.unpricedTokens ?? 0)
  return {
    tokens: a.tokens + b.tokens,
    dollars: a.dollars + b.dollars,
    runnerMs: a.runnerMs + b.runnerMs,
    ...(unpricedTokens > 0 && { unpricedTokens }),
  }
}

/** What a cost has beyond what was set aside for it. */
export function excessUsage(cost: Usage, reserved: Usage): Usage {
  const beyond = (spent: number, aside: number): number => Math.max(0, spent - aside)
  return {
    tokens: beyond(cost.tokens, reserved.tokens),
    dollars: beyond(cost.dollars, reserved.dollars),
    runnerMs: beyond(cost.runnerMs, reserved.runnerMs),
  }
}
