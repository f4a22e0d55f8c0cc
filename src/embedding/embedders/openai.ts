import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { redactSecrets } from '../../core/redact-secrets.ts'
import {
  addPaid,
  afterPaying,
  component,
  type Embedded,
  type Embedder,
  EmbedderFault,
  NOTHING_PAID,
  normalise,
} from '../embedder.ts'

export interface OpenAiSettings {
  /** Including the version, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string
  readonly model: string
  readonly dimensions: number
  /** Whether to request the vector length: models with a fixed length refuse that. */
  readonly sendDimensions: boolean
  readonly needsKey: boolean
  /** Undefined if none is needed or nothing is embedded. */
  readonly apiKey: string | undefined
  readonly dollarsPerMillionTokens: number
}

const BATCH = 64
// A request takes 300,000 tokens, and a token is at least a byte.
const BATCH_BYTES = 250_000
const TRIES = 6
const RETRY_MS = 1000
const MOST_RETRY_MS = 60_000
const TIMEOUT_MS = 60_000

// More than a request takes is a miscount.
const MOST_REQUEST_TOKENS = 1_000_000

const reportedTokens = z
  .number()
  .nonnegative()
  .transform((given) => Math.min(given, MOST_REQUEST_TOKENS))

const answerSchema = z.object({
  data: z.array(z.object({ index: z.int().nonnegative(), embedding: z.array(component) })),
  usage: z.object({ total_tokens: reportedTokens }).optional(),
})

/** Waits this many milliseconds. */
type Wait = (ms: number) => Promise<unknown>

/** Any endpoint that speaks OpenAI's embeddings protocol. */
export function createOpenAiEmbedder(settings: OpenAiSettings, wait: Wait = sleep): Embedder {
  const { dimensions, dollarsPerMillionTokens } = settings
  return {
    dimensions,
    chunked: true,
    embed: async (texts) => {
      const vectors: Float32Array[] = []
      let usage = NOTHING_PAID
      for (const batch of splitIntoBatches(texts)) {
        const answer = await afterPaying(usage, () => askWithRetries(settings, batch, wait))
        const tokens = answer.usage?.total_tokens ?? estimateTokens(batch)
        usage = addPaid(usage, { tokens, dollars: (tokens * dollarsPerMillionTokens) / 1e6 })
        vectors.push(...(await afterPaying(usage, async () => readVectors(answer, batch.length, dimensions))))
      }
      return { vectors, usage }
    },
  }
}

// For endpoints that do not report usage: a token is about four bytes.
function estimateTokens(texts: readonly string[]): number {
  return Math.ceil(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 4)
}

function splitIntoBatches(texts: readonly string[]): string[][] {
  const batches: string[][] = []
  let bytes = 0
  for (const text of texts) {
    const batch = batches.at(-1)
    bytes += Buffer.byteLength(text)
    if (batch !== undefined && batch.length < BATCH && bytes <= BATCH_BYTES) {
      batch.push(text)
      continue
    }
    batches.push([text])
    bytes = Buffer.byteLength(text)
  }
  return batches
}

type Answer = z.infer<typeof answerSchema>

async function askWithRetries(
  settings: OpenAiSettings,
  texts: readonly string[],
  wait: Wait,
): Promise<Answer> {
  if (settings.needsKey && !settings.apiKey) throw failed('there is no key')
  for (let tried = 1; ; tried++) {
    const outcome = await ask(settings, texts)
    if (outcome.status === 'answered') return outcome.answer
    if (tried === TRIES || !outcome.retry) throw failed(outcome.detail)
    // Wait as long as the endpoint asks, within reason.
    const asked = outcome.retryAfterMs ?? RETRY_MS * 2 ** (tried - 1)
    await wait(Math.min(asked, MOST_RETRY_MS))
  }
}

type Outcome =
  | { readonly status: 'answered'; readonly answer: Answer }
  | {
      readonly status: 'failed'
      readonly retry: boolean
      readonly retryAfterMs?: number | undefined
      readonly detail: string
    }

async function ask(settings: OpenAiSettings, texts: readonly string[]): Promise<Outcome> {
  const { baseUrl, apiKey, model, dimensions, sendDimensions } = settings
  try {
    const response = await fetch(`${baseUrl}/embeddings`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ model, ...(sendDimensions && { dimensions }), input: texts }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const body = await response.text()
    if (!response.ok) {
      const retry = response.status === 429 || response.status >= 500
      const retryAfterMs = readRetryAfter(response.headers.get('retry-after'))
      return {
        status: 'failed',
        retry,
        retryAfterMs,
        detail: `HTTP ${response.status}: ${quote(body, settings)}`,
      }
    }
    const json = tryParseJson(body)
    // Possibly a truncated answer: worth another try.
    if (json === undefined)
      return { status: 'failed', retry: true, detail: `no JSON: ${quote(body, settings)}` }
    const read = answerSchema.safeParse(json)
    if (read.success) return { status: 'answered', answer: read.data }
    return { status: 'failed', retry: false, detail: `an answer of another shape: ${quote(body, settings)}` }
  } catch (error) {
    // The network, or a time-out.
    return { status: 'failed', retry: true, detail: error instanceof Error ? error.message : String(error) }
  }
}

// The parser's message would quote a part of the answer, and redaction does not recognise a partial key.
function tryParseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

// An endpoint may echo the key, and this text is public. Cut last: redaction does not recognise half a key.
function quote(body: string, { apiKey }: OpenAiSettings): string {
  return redactSecrets(body, apiKey === undefined ? [] : [apiKey]).slice(0, 300)
}

// Only seconds: a date would need the endpoint's clock.
function readRetryAfter(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? 1000 * Number(header) : undefined
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

function failed(detail: string): EmbedderFault {
  return new EmbedderFault(
    `The embedding endpoint cannot be used: ${detail}`,
    'Check search.embedder (base_url, model, dimensions) and the key. The embedder `hashing` needs neither.',
  )
}
