import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { LoreleyError } from '../../errors.ts'
import { type Embedded, type Embedder, normalise } from '../embedder.ts'

export interface OpenAiSettings {
  /** Up to and with the version, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string
  readonly model: string
  readonly dimensions: number
  /** Undefined where nothing is to be embedded: then it asks nobody. */
  readonly apiKey: string | undefined
  readonly dollarsPerMillionTokens: number
}

const BATCH = 64
const TRIES = 4
const RETRY_MS = 1000
const TIMEOUT_MS = 60_000

const answerSchema = z.object({
  data: z.array(z.object({ index: z.int().nonnegative(), embedding: z.array(z.number()) })),
  usage: z.object({ total_tokens: z.number().nonnegative() }).optional(),
})

/** Any endpoint that speaks OpenAI's embeddings protocol. */
export function createOpenAiEmbedder(settings: OpenAiSettings, retryMs = RETRY_MS): Embedder {
  const { model, dimensions, dollarsPerMillionTokens } = settings
  return {
    identity: `openai/${settings.baseUrl}/${model}/${dimensions}`,
    dimensions,
    chunked: true,
    embed: async (texts) => {
      const vectors: Float32Array[] = []
      let tokens = 0
      for (let start = 0; start < texts.length; start += BATCH) {
        const batch = texts.slice(start, start + BATCH)
        const answer = await askWithRetries(settings, batch, retryMs)
        vectors.push(...readVectors(answer, batch.length, dimensions))
        tokens += answer.usage?.total_tokens ?? 0
      }
      return { vectors, usage: { tokens, dollars: (tokens * dollarsPerMillionTokens) / 1e6 } }
    },
  }
}

type Answer = z.infer<typeof answerSchema>

async function askWithRetries(
  settings: OpenAiSettings,
  texts: readonly string[],
  retryMs: number,
): Promise<Answer> {
  if (!settings.apiKey) throw failed('there is no key')
  for (let tried = 1; ; tried++) {
    const outcome = await ask(settings, texts)
    if (outcome.status === 'answered') return outcome.answer
    if (tried === TRIES || !outcome.retry) throw failed(outcome.detail)
    await sleep(retryMs * 2 ** (tried - 1))
  }
}

type Outcome =
  | { readonly status: 'answered'; readonly answer: Answer }
  | { readonly status: 'failed'; readonly retry: boolean; readonly detail: string }

async function ask(settings: OpenAiSettings, texts: readonly string[]): Promise<Outcome> {
  try {
    const response = await fetch(`${settings.baseUrl}/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${settings.apiKey}` },
      body: JSON.stringify({ model: settings.model, dimensions: settings.dimensions, input: texts }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const body = await response.text()
    if (!response.ok) {
      const retry = response.status === 429 || response.status >= 500
      return { status: 'failed', retry, detail: `HTTP ${response.status}: ${body.slice(0, 300)}` }
    }
    const read = answerSchema.safeParse(JSON.parse(body))
    if (read.success) return { status: 'answered', answer: read.data }
    return { status: 'failed', retry: false, detail: `an answer of another shape: ${body.slice(0, 300)}` }
  } catch (error) {
    // The network, a time-out, or half an answer: worth another try.
    return { status: 'failed', retry: true, detail: error instanceof Error ? error.message : String(error) }
  }
}

function readVectors(answer: Answer, count: number, dimensions: number): Embedded['vectors'] {
  const byIndex = new Map(answer.data.map(({ index, embedding }) => [index, embedding]))
  return Array.from({ length: count }, (_, index) => {
    const components = byIndex.get(index)
    if (components === undefined) throw failed(`the answer has no vector ${index} of ${count}`)
    if (components.length !== dimensions)
      throw failed(`its vectors have ${components.length} dimensions, the config says ${dimensions}`)
    return normalise(Float32Array.from(components))
  })
}

function failed(detail: string): LoreleyError {
  return new LoreleyError(
    'embedder-failed',
    `The embedding endpoint cannot be used: ${detail}`,
    'Check search.embedder (base_url, model, dimensions) and the key; the embedder `hashing` needs neither.',
  )
}
