import type { AgentLimits, ModelConfig } from '../../config/campaign-config.ts'
import type { AgentTask } from '../agent.ts'
import type { Meter } from '../meter.ts'
import { failed, type Tool, type ToolContext, type ToolReply } from '../tools/tool.ts'
import { type Chat, type ChatOutcome, charactersOf, charactersOfTools, type Message } from './chat.ts'
import { compact } from './compact.ts'
import type { Reply, ToolCall } from './reply.ts'
import { CHARACTERS_PER_TOKEN, estimateTokens, priceOf } from './tokens.ts'

export interface ToolLoopOptions {
  readonly chat: Chat
  readonly model: ModelConfig
  readonly limits: AgentLimits
  readonly tools: readonly Tool[]
  readonly context: ToolContext
  readonly task: AgentTask
  readonly messages: readonly Message[]
  /** Whether a reply without a tool call ends the work. */
  isDone(): boolean
  /** What the model is told, once, if it stops too early. */
  readonly nudge: string
}

/** How the conversation ended. `stopped`: by a limit or for lack of progress; the work so far is kept. */
export type LoopEnd =
  | { readonly status: 'finished'; readonly text: string }
  | { readonly status: 'stopped'; readonly reason: string }
  | { readonly status: 'failed'; readonly reason: string }

// Shorten before the context is full: the estimate is rough, and the answer needs room.
const FULL_SHARE = 0.8
const SHORT_SHARE = 0.5
const MAX_CALLS_PER_TURN = 16
const MAX_BAD_TURNS = 5
const MAX_REPEATS = 4

/** Lets a model use tools until it is done, a limit is reached, or it repeats itself. */
export async function runToolLoop(options: ToolLoopOptions): Promise<LoopEnd> {
  const { limits, task } = options
  const talk = new Talk(options)
  let hasNudged = false
  for (let turn = 0; turn < limits.turns; turn++) {
    task.signal.throwIfAborted()
    const asked = await talk.ask()
    if (asked.status !== 'replied') return asked
    const { reply } = asked
    if (reply.refusal !== '') return { status: 'stopped', reason: `the model refused: ${reply.refusal}` }
    if (reply.toolCalls.length === 0) {
      if (reply.text.trim() !== '' && (options.isDone() || hasNudged))
        return { status: 'finished', text: reply.text }
      if (hasNudged) return { status: 'stopped', reason: 'the model said nothing useful' }
      hasNudged = true
      talk.nudge(reply)
      continue
    }
    const stuck = await talk.use(reply)
    if (stuck !== undefined) return { status: 'stopped', reason: stuck }
  }
  return { status: 'stopped', reason: `agent.limits.turns (${limits.turns}) is reached` }
}

/** The conversation so far, kept short enough to be sent. */
class Talk {
  readonly #options: ToolLoopOptions
  readonly #seen = new Map<string, number>()
  #messages: readonly Message[]
  #badTurns = 0

  constructor(options: ToolLoopOptions) {
    this.#options = options
    this.#messages = options.messages
  }

  async ask(): Promise<Extract<ChatOutcome, { status: 'replied' }> | LoopEnd> {
    const { model, chat, tools, task, limits } = this.#options
    if (this.#tokens() > FULL_SHARE * model.contextTokens) this.#shorten(SHORT_SHARE * model.contextTokens)
    // The endpoint's limit may be lower than the configured one: then try again with half.
    for (let half = 0; ; half++) {
      const exceeded = findExceeded(limits, task.meter, { inputTokens: this.#tokens(), model })
      if (exceeded !== undefined) return { status: 'stopped', reason: exceeded }
      const { meter, rng, signal } = task
      const outcome = await chat.ask({ model, messages: this.#messages, tools, meter, rng, signal })
      if (outcome.status === 'failed') return outcome
      if (outcome.status === 'replied') {
        this.#record(outcome.reply)
        return outcome
      }
      if (half > 1 || !this.#shorten(this.#tokens() / 2)) return { status: 'stopped', reason: outcome.reason }
    }
  }

  nudge(reply: Reply): void {
    this.#messages = [
      ...this.#messages,
      ...(reply.text === '' ? [] : [said(reply)]),
      { role: 'user', content: this.#options.nudge },
    ]
  }

  /** Runs the tool calls of a reply; returns a reason when the model makes no progress. */
  async use(reply: Reply): Promise<string | undefined> {
    const results: Message[] = []
    let good = 0
    for (const [index, call] of reply.toolCalls.entries()) {
      const result =
        index < MAX_CALLS_PER_TURN
          ? await this.#call(call)
          : failed('too many calls at once: repeat this one')
      if (result.ok) good++
      this.#options.task.transcript.add(`result of ${call.name}`, result.text)
      results.push({ role: 'tool', tool_call_id: call.id, content: result.text })
    }
    this.#messages = [...this.#messages, said(reply), ...results]
    this.#badTurns = good > 0 ? 0 : this.#badTurns + 1
    if (this.#badTurns >= MAX_BAD_TURNS) return `${MAX_BAD_TURNS} turns in a row had no tool call that worked`
    const repeats = Math.max(...this.#seen.values())
    return repeats >= MAX_REPEATS ? `the model made the same call ${repeats} times` : undefined
  }

  async #call(call: ToolCall): Promise<ToolReply> {
    const { tools, context } = this.#options
    const key = `${call.name} ${call.arguments}`
    this.#seen.set(key, (this.#seen.get(key) ?? 0) + 1)
    const tool = tools.find(({ name }) => name === call.name)
    if (tool === undefined) {
      return failed(`there is no tool ${call.name}; there are ${tools.map(({ name }) => name).join(', ')}`)
    }
    return await tool.run(call.arguments, context)
  }

  #tokens(): number {
    return estimateTokens(charactersOf(this.#messages) + charactersOfTools(this.#options.tools))
  }

  #shorten(toTokens: number): boolean {
    const before = this.#tokens()
    this.#messages = compact(this.#messages, CHARACTERS_PER_TOKEN * toTokens)
    return this.#tokens() < before
  }

  #record({ text, refusal, toolCalls }: Reply): void {
    const { transcript } = this.#options.task
    if (text !== '' || refusal !== '') transcript.add('reply', text || refusal)
    for (const call of toolCalls) transcript.add(`call of ${call.name}`, call.arguments)
  }
}

function said({ text, toolCalls }: Reply): Message {
  return {
    role: 'assistant',
    content: text,
    ...(toolCalls.length > 0 && {
      tool_calls: toolCalls.map((call) => ({
        id: call.id,
        type: 'function' as const,
        function: { name: call.name, arguments: call.arguments },
      })),
    }),
  }
}

/** The most that the next request may cost. */
interface NextCost {
  readonly inputTokens: number
  readonly model: ModelConfig
}

/** The limit that the next request could exceed; undefined if it exceeds none. */
function findExceeded(limits: AgentLimits, { usage }: Meter, next: NextCost): string | undefined {
  const { inputTokens, model } = next
  const tokens = { input: inputTokens, cachedInput: 0, output: model.maxOutputTokens }
  if (usage.tokens + tokens.input + tokens.output > limits.tokens)
    return `agent.limits.tokens (${limits.tokens}) would be exceeded`
  const dollars = priceOf(tokens, model.price) ?? 0
  if (limits.dollars !== undefined && usage.dollars + dollars > limits.dollars)
    return `agent.limits.dollars (${limits.dollars}) would be exceeded`
  return undefined
}
