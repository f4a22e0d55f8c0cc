import type { Usage } from '../core/budget/budget.ts'
import { MOST_REPORTED } from '../core/number-bounds.ts'

/** What one model call cost. Without dollars its price is unknown, which is not the same as free. */
export interface ModelCall {
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly dollars?: number | undefined
}

/** What an agent spent. An agent without a model spends nothing. */
export type AgentUsage = Omit<Usage, 'runnerMs'>

/** Adds up the calls of one candidate while they are made. */
export class Meter {
  #tokens = 0
  #dollars = 0
  #unpricedTokens = 0

  add({ inputTokens, outputTokens, dollars }: ModelCall): void {
    const tokens = inputTokens + outputTokens
    this.#tokens += tokens
    if (dollars === undefined) this.#unpricedTokens += tokens
    else this.#dollars += dollars
  }

  get usage(): AgentUsage {
    const unpriced = this.#unpricedTokens
    return {
      tokens: Math.min(this.#tokens, MOST_REPORTED),
      dollars: Math.min(this.#dollars, MOST_REPORTED),
      ...(unpriced > 0 && { unpricedTokens: Math.min(unpriced, MOST_REPORTED) }),
    }
  }
}
