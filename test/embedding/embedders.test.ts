import { createServer, type IncomingMessage } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCommandEmbedder } from '../../src/embedding/embedders/command.ts'
import { createHashingEmbedder } from '../../src/embedding/embedders/hashing.ts'
import { createOpenAiEmbedder } from '../../src/embedding/embedders/openai.ts'
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
  readonly requests: { readonly authorization: string | undefined; readonly input: readonly string[] }[]
}

/** A real endpoint that answers each request with the next of the given answers, then with the last. */
async function anEndpoint(
  ...answers: ((input: readonly string[]) => { status: number; body: unknown })[]
): Promise<Endpoint> {
  const requests: Endpoint['requests'] = []
  const server = createServer(async (request, response) => {
    const { input }: { input: string[] } = JSON.parse(await readBody(request))
    const answer = answers[Math.min(requests.length, answers.length - 1)]
    requests.push({ authorization: request.headers.authorization, input })
    const { status, body } = answer?.(input) ?? { status: 500, body: {} }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
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

function anOpenAi(url: string, dimensions = 2) {
  const settings = { baseUrl: url, model: 'm', dimensions, apiKey: 'key', dollarsPerMillionTokens: 2 }
  return createOpenAiEmbedder(settings, 1)
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

  it('tries again when the endpoint is busy', async () => {
    const endpoint = await anEndpoint(
      () => ({ status: 429, body: {} }),
      () => ({ status: 503, body: {} }),
      lengths,
    )
    expect((await anOpenAi(endpoint.url).embed(['a'])).vectors).toHaveLength(1)
    expect(endpoint.requests).toHaveLength(3)
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
    const embedder = createCommandEmbedder('embed', 2, async (input) => ({
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
    const embedder = createCommandEmbedder('embed', 2, async () => outcome)
    await expect(embedder.embed(['a'])).rejects.toThrow(message)
  })
})
