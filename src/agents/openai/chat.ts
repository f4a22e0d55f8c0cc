import { setTimeout as sleep } from 'node:timers/promises'
import OpenAI from 'openai'
import type { ModelConfig, OpenAiConfig } from '../../config/campaign-config.ts'
import type { Rng } from '../../core/rng.ts'
import type { Meter } from '../meter.ts'
import type { Tool } from '../tools/tool.ts'
import { type Fault, readFault } from './fault.ts'
import { type Reply, ReplyBuilder } from './reply.ts'
import { estimateTokens, priceOf } from './tokens.ts'

export type Message = OpenAI.Chat.Completions.ChatCompletionMessageParam

export interface ChatRequest {
  readonly model: ModelConfig
  readonly messages: readonly Message[]
  readonly tools: readonly Tool[]
  readonly meter: Meter
  readonly rng: Rng
  readonly signal: AbortSignal
}

export type ChatOutcome =
  | { readonly status: 'replied'; readonly reply: Reply }
  | { readonly status: 'too-long'; readonly reason: string }
  | { readonly status: 'failed'; readonly reason: string }

export interface ChatOptions {
  readonly config: OpenAiConfig
  readonly key: string
  /** The wait before the first retry; each further one is twice as long. */
  readonly firstWaitMs?: number | undefined
}

const FIRST_WAIT_MS = 1000
const MAX_WAIT_MS = 60_000

/** Talks to one endpoint: streams, waits, retries and counts the cost. */
export class Chat {
  readonly #client: OpenAI
  readonly #config: OpenAiConfig
  readonly #firstWaitMs: number

  constructor({ config, key, firstWaitMs = FIRST_WAIT_MS }: ChatOptions) {
    this.#config = config
    this.#firstWaitMs = firstWaitMs
    this.#client = new OpenAI({
      apiKey: key,
      baseURL: config.baseUrl,
      organization: config.organization ?? null,
      project: config.project ?? null,
      // Azure reads the key from its own header; others ignore it.
      defaultHeaders: { ...config.headers, ...(isAzure(config.baseUrl) && { 'api-key': key }) },
      defaultQuery: config.query,
      timeout: config.requestTimeoutSeconds * 1000,
      // We retry ourselves: the client does not treat a broken or silent stream as an error.
      maxRetries: 0,
    })
  }

  /** Asks until there is a complete answer or retrying is pointless. */
  async ask(request: ChatRequest): Promise<ChatOutcome> {
    for (let tried = 1; ; tried++) {
      const answer = await this.#tryOnce(request)
      request.signal.throwIfAborted()
      if (answer.status === 'replied') return answer
      const { fault } = answer
      if (fault.kind === 'too-long') return { status: 'too-long', reason: fault.reason }
      if (fault.kind === 'final' || tried >= this.#config.tries)
        return {
          status: 'failed',
          reason: `${fault.reason} (after ${tried} ${tried === 1 ? 'try' : 'tries'})`,
        }
      await sleep(this.#waitMs(fault, tried, request.rng), undefined, { signal: request.signal })
    }
  }

  async #tryOnce(
    request: ChatRequest,
  ): Promise<{ status: 'replied'; reply: Reply } | { status: 'fault'; fault: Fault }> {
    const silence = new AbortController()
    const silentMs = this.#config.requestTimeoutSeconds * 1000
    const timer = setTimeout(() => silence.abort(), silentMs)
    const builder = new ReplyBuilder()
    try {
      const stream = await this.#client.chat.completions.create(createBody(request), {
        signal: AbortSignal.any([request.signal, silence.signal]),
      })
      for await (const chunk of stream) {
        timer.refresh()
        builder.add(chunk)
      }
      const reply = silence.signal.aborted ? undefined : builder.build()
      if (reply !== undefined) {
        count(request, builder, reply)
        return { status: 'replied', reply }
      }
      return again(
        request,
        builder,
        silence.signal.aborted ? 'the endpoint fell silent' : 'the stream was cut',
      )
    } catch (error) {
      if (silence.signal.aborted) return again(request, builder, 'the endpoint fell silent')
      if (builder.characters > 0) count(request, builder, undefined)
      return { status: 'fault', fault: readFault(error) }
    } finally {
      clearTimeout(timer)
    }
  }

  // Jitter keeps candidates that were refused together from returning together.
  #waitMs(fault: Fault & { kind: 'again' }, tried: number, rng: Rng): number {
    const backoff = this.#firstWaitMs * 2 ** (tried - 1) * (0.5 + rng.unit() / 2)
    return Math.min(MAX_WAIT_MS, fault.waitMs ?? backoff)
  }
}

function again(
  request: ChatRequest,
  builder: ReplyBuilder,
  reason: string,
): { status: 'fault'; fault: Fault } {
  if (builder.characters > 0) count(request, builder, undefined)
  return { status: 'fault', fault: { kind: 'again', reason } }
}

function createBody({
  model,
  messages,
  tools,
}: ChatRequest): OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming {
  return {
    max_completion_tokens: model.maxOutputTokens,
    ...model.parameters,
    model: model.name,
    messages: [...messages],
    stream: true,
    stream_options: { include_usage: true },
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        function: { name, description, parameters },
      })),
    }),
  }
}

// A broken stream costs money, and some endpoints do not count tokens. Then we estimate.
function count({ model, messages, tools, meter }: ChatRequest, builder: ReplyBuilder, reply?: Reply): void {
  const tokens = reply?.tokens ?? {
    input: estimateTokens(charactersOf(messages) + charactersOfTools(tools)),
    cachedInput: 0,
    output: estimateTokens(builder.characters),
  }
  meter.add({
    model: model.name,
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    dollars: priceOf(tokens, model.price),
  })
}

/** The length of a conversation as it is sent. */
export function charactersOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0)
}

export function charactersOfTools(tools: readonly Tool[]): number {
  return tools.reduce(
    (sum, tool) => sum + tool.description.length + JSON.stringify(tool.parameters).length,
    0,
  )
}

function isAzure(baseUrl: string): boolean {
  return /\.azure\.com$/.test(new URL(baseUrl).hostname)
}
