import type OpenAI from 'openai'
import { boundReported } from '../../core/number-bounds.ts'

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/** Tokens as the endpoint counted them. */
export interface TokenCount {
  readonly input: number
  readonly cachedInput: number
  readonly output: number
}

/** One complete answer of a model. */
export interface Reply {
  readonly text: string
  readonly refusal: string
  readonly toolCalls: readonly ToolCall[]
  readonly finishReason: string
  /** Undefined when the endpoint does not report them. */
  readonly tokens?: TokenCount | undefined
}

type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk

/** Assembles a streamed answer. */
export class ReplyBuilder {
  #text = ''
  #refusal = ''
  #finishReason: string | undefined
  #tokens: TokenCount | undefined
  readonly #calls = new Map<number, { id: string; name: string; arguments: string }>()

  add({ choices, usage }: Chunk): void {
    // Azure and others send chunks without choices: filters first, usage last.
    const choice = choices?.[0]
    this.#text += choice?.delta?.content ?? ''
    this.#refusal += choice?.delta?.refusal ?? ''
    this.#finishReason = choice?.finish_reason ?? this.#finishReason
    for (const part of choice?.delta?.tool_calls ?? []) {
      const call = this.#calls.get(part.index) ?? { id: '', name: '', arguments: '' }
      call.id ||= part.id ?? ''
      call.name += part.function?.name ?? ''
      call.arguments += part.function?.arguments ?? ''
      this.#calls.set(part.index, call)
    }
    if (usage) {
      const input = boundReported(usage.prompt_tokens)
      const output = boundReported(usage.completion_tokens)
      const cachedInput = boundReported(usage.prompt_tokens_details?.cached_tokens) ?? 0
      // An endpoint that counts in another way counts as one that does not.
      if (input !== undefined && output !== undefined)
        this.#tokens = { input, cachedInput: Math.min(cachedInput, input), output }
    }
  }

  /** The characters received so far. */
  get characters(): number {
    return [...this.#calls.values()].reduce((sum, call) => sum + call.arguments.length, this.#text.length)
  }

  /** The answer; undefined when the stream ended before the model did. */
  build(): Reply | undefined {
    if (this.#finishReason === undefined) return undefined
    return {
      text: this.#text,
      refusal: this.#refusal,
      toolCalls: [...this.#calls.values()].map((call, index) => ({
        ...call,
        id: call.id || `call_${index}`,
      })),
      finishReason: this.#finishReason,
      tokens: this.#tokens,
    }
  }
}
