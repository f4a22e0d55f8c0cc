import { createServer, type IncomingMessage } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCommandEmbedder } from '../../src/embedding/embedders/command.ts'
import { createHashingEmbedder } from '../../src/embedding/embedders/hashing.ts'
import { createOpenAiEmbedder, type OpenAiSettings } from '../../src/embedding/embedders/openai.ts'
import { LoreleyError } from '../../src/errors.ts'

async function similarity(a: string, b: string): Promise<number> {
  const { vectors } = await createHashingEmbedder().embed([a, b])
  const [x, y] = vectors
  return [...(x ?? [])].reduce((sum, value, index) => sum + value * (y?.[index] ?? 0), 0)
}

describe('the hashing embedder', () => {
  it('gives the same numbers everywhere', async () => {
    const { vectors } = await createHashingEmbedder(8).embed(['let cacheSize = 10 // größe'])
    expect([...(vectors[0] ?? [])].map((value) => Number(value.toFixed(6)))).toMatchInlineSnapshot(`
      [
        0.055462,
        -0.055462,
        -0.487809,
        -0.33277,
        0.462181,
        0.221847,
        -0.036974,
        -0.61722,
      ]
    `)
  })

  it('puts a renamed variable nearer than other code', async () => {
    const text = 'function evictOldest(cache) { while (cache.size > limit) cache.delete(first(cache)) }'
    const renamed = text.replaceAll('limit', 'maximum')
    expect(await similarity(text, renamed)).toBeGreaterThan(0.7)
    expect(await similarity(text, 'class Parser { next() { return this.tokens[this.at++] } }')).toBeLessThan(
      0.3,
    )
  })

  it('sees a part of a name in another name', async () => {
    const shared = await similarity('readCacheEntry', 'cache_entry_count')
    expect(shared).toBeGreaterThan((await similarity('readCacheEntry', 'parse_header_width')) + 0.3)
  })

  it('gives no direction to a text without tokens', async () => {
    const { vectors } = await createHashingEmbedder(4).embed(['  \n '])
    expect([...(vectors[0] ?? [])]).toEqual([0, 0, 0, 0])
  })
})

interface Endpoint {
  readonly url: string
  readonly requests: {
    readonly authorization: string | undefined
    readonly input: readonly string[]
    readonly dimensions: number | undefined
  }[]
}

/** A real endpoint that answers each request with the next of the given answers, then with the last. */
async function anEndpoint(
  ...answers: ((input: readonly string[]) => {
    status: number
    body: unknown
    /** In place of the body, as it is. */
    text?: string
    headers?: Readonly<Record<string, string>>
  })[]
): Promise<Endpoint> {
  const requests: Endpoint['requests'] = []
  const server = createServer(async (request, response) => {
    const { input, dimensions }: { input: string[]; dimensions?: number } = JSON.parse(
      await readBody(request),
    )
    const answer = answers[Math.min(requests.length, answers.length - 1)]
    requests.push({ authorization: request.headers.authorization, input, dimensions })
    const { status, body, text, headers } = answer?.(input) ?? { status: 500, body: {} }
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(text ?? JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`, requests }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

const lengths = (input: readonly string[]) => ({
  status: 200,
  body: {
    data: input.map((text, index) => ({ index, embedding: [text.length, 0] })).reverse(),
    usage: { total_tokens: 10 * input.length },
  },
})

function anOpenAi(url: string, dimensions = 2, waits: number[] = [], changes: Partial<OpenAiSettings> = {}) {
  const own = { baseUrl: url, model: 'm', dimensions, sendDimensions: true, needsKey: true, apiKey: 'key' }
  const settings = { ...own, dollarsPerMillionTokens: 2, ...changes }
  return createOpenAiEmbedder(settings, async (ms) => void waits.push(ms))
}

describe('the openai embedder', () => {
  it('asks in batches, puts the answers in order and counts tokens and money', async () => {
    const endpoint = await anEndpoint(lengths)
    const { vectors, usage } = await anOpenAi(endpoint.url).embed(Array.from({ length: 100 }, () => 'text'))
    expect(endpoint.requests.map(({ input }) => input.length)).toEqual([64, 36])
    expect(endpoint.requests[0]?.authorization).toBe('Bearer key')
    expect(vectors.every((vector) => vector[0] === 1 && vector[1] === 0)).toBe(true)
    expect(usage).toEqual({ tokens: 1000, dollars: 0.002 })
  })

  it('asks for less at once when texts are long', async () => {
    const endpoint = await anEndpoint(lengths)
    const texts = Array.from({ length: 64 }, () => 'x'.repeat(8000))
    expect((await anOpenAi(endpoint.url).embed(texts)).vectors).toHaveLength(64)
    expect(endpoint.requests.map(({ input }) => input.length)).toEqual([31, 31, 2])
  })

  it('tries again when the endpoint is busy', async () => {
    const endpoint = await anEndpoint(
      () => ({ status: 429, body: {} }),
      () => ({ status: 503, body: {} }),
      lengths,
    )
    expect((await anOpenAi(endpoint.url).embed(['a'])).vectors).toHaveLength(1)
    expect(endpoint.requests).toHaveLength(3)
  })

  it('waits as long as the endpoint asks for, but not for hours', async () => {
    const busy = (seconds: string) => () => ({ status: 429, body: {}, headers: { 'retry-after': seconds } })
    const endpoint = await anEndpoint(busy('7'), busy('7200'), busy('soon'), lengths)
    const waits: number[] = []
    await anOpenAi(endpoint.url, 2, waits).embed(['a'])
    expect(waits).toEqual([7000, 60_000, 4000])
  })

  it('gives up on an endpoint that stays busy', async () => {
    const endpoint = await anEndpoint(() => ({ status: 503, body: {} }))
    const waits: number[] = []
    await expect(anOpenAi(endpoint.url, 2, waits).embed(['a'])).rejects.toThrow(/503/)
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000])
  })

  it.each([
    ['a refusal', () => ({ status: 401, body: { error: 'no key' } }), /401/],
    ['another shape', () => ({ status: 200, body: { data: 'none' } }), /another shape/],
    ['a missing vector', () => ({ status: 200, body: { data: [] } }), /no vector 0/],
  ])('stops at %s', async (_name, answer, message) => {
    const endpoint = await anEndpoint(answer)
    await expect(anOpenAi(endpoint.url).embed(['a'])).rejects.toThrow(message)
    expect(endpoint.requests).toHaveLength(1)
  })

  // Of no known shape, and at a place where a cut would leave half of it.
  const apiKey = 'embedding key of the maintainer'
  it.each([
    ['a refusal', { status: 401, body: { error: `you sent Bearer ${apiKey}` } }],
    ['another shape', { status: 200, body: { sent: `${'x'.repeat(280)}${apiKey}` } }],
    ['no JSON', { status: 200, body: {}, text: `${apiKey} <html>` }],
  ])('says nothing of its key when the endpoint repeats it in %s', async (_name, answer) => {
    const endpoint = await anEndpoint(() => answer)
    const fault = await anOpenAi(endpoint.url, 2, [], { apiKey })
      .embed(['a'])
      .catch((error: unknown) => (error instanceof Error ? error.message : ''))
    expect(fault).toContain('[secret]')
    expect(fault).not.toMatch(/embedding key|maintainer/)
  })

  it('tells what was paid for when a later request fails, and when the answer is of no use', async () => {
    const endpoint = await anEndpoint(lengths, () => ({ status: 400, body: {} }))
    const texts = Array.from({ length: 100 }, () => 'text')
    const paid = { tokens: 640, dollars: 0.00128 }
    await expect(anOpenAi(endpoint.url).embed(texts)).rejects.toMatchObject({ paid })
    const longer = await anEndpoint(lengths)
    await expect(anOpenAi(longer.url, 3).embed(['a'])).rejects.toMatchObject({
      paid: { tokens: 10, dollars: 0.00002 },
    })
  })

  it('counts a token for four bytes where the endpoint does not count', async () => {
    const endpoint = await anEndpoint((input) => ({
      status: 200,
      body: { data: input.map((_, index) => ({ index, embedding: [1, 0] })) },
    }))
    const { usage } = await anOpenAi(endpoint.url).embed(['größe', 'ab'])
    expect(usage).toEqual({ tokens: 3, dollars: 0.000006 })
  })

  it('asks without a key or a length where the endpoint wants neither, and still checks the length', async () => {
    const endpoint = await anEndpoint(lengths)
    const plain = { sendDimensions: false, needsKey: false, apiKey: undefined }
    await anOpenAi(endpoint.url, 2, [], plain).embed(['a'])
    await anOpenAi(endpoint.url).embed(['a'])
    expect(endpoint.requests).toEqual([
      { authorization: undefined, dimensions: undefined, input: ['a'] },
      { authorization: 'Bearer key', dimensions: 2, input: ['a'] },
    ])
    await expect(anOpenAi(endpoint.url, 3, [], plain).embed(['a'])).rejects.toThrow(/2 dimensions/)
  })

  it('asks nobody without the key that it needs', async () => {
    const endpoint = await anEndpoint(lengths)
    const keyless = anOpenAi(endpoint.url, 2, [], { apiKey: undefined })
    await expect(keyless.embed(['a'])).rejects.toThrow(/no key/)
    expect(endpoint.requests).toEqual([])
  })

  it('refuses vectors of other dimensions than the config says', async () => {
    const endpoint = await anEndpoint(lengths)
    const fault = await anOpenAi(endpoint.url, 3)
      .embed(['a'])
      .catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(LoreleyError)
    expect(fault).toMatchObject({ code: 'embedder-failed' })
  })
})

describe('the command embedder', () => {
  it('hands over the texts as JSON and reads as many vectors', async () => {
    const embedder = createCommandEmbedder(2, async (input) => ({
      output: JSON.stringify(JSON.parse(input).map((text: string) => [0, text.length])),
    }))
    expect((await embedder.embed(['ab', 'c'])).vectors.map((vector) => [...vector])).toEqual([
      [0, 1],
      [0, 1],
    ])
  })

  it.each([
    [{ fault: 'exit code 3' }, /exit code 3/],
    [{ output: 'hello' }, /no JSON array/],
    [{ output: '[]' }, /0 vectors for 1/],
    [{ output: '[[1,2,3]]' }, /3 dimensions/],
  ])('says what is wrong with %o', async (outcome, message) => {
    const embedder = createCommandEmbedder(2, async () => outcome)
    await expect(embedder.embed(['a'])).rejects.toThrow(message)
  })
})
