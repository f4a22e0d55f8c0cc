import { createSign } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import type { Bench, BenchOptions, BenchReport } from './bench.ts'
import { type BoxProcess, startBoxProcess } from './box-process.ts'
import { type Client, createClient, KINDS, type Kind } from './box-requests.ts'

const IN_FLIGHT = 8
const PERMISSIONS = {
  checks: 'write',
  contents: 'write',
  issues: 'write',
  metadata: 'read',
  pull_requests: 'write',
}
const EVENTS = ['check_run', 'issue_comment', 'issues', 'push']

/** The sandbox under load: requests a second, and the memory of its process. */
export const boxBench: Bench = {
  about: 'mixed requests a second of the sandbox, and its memory',
  run: async (options) => {
    const receiver = createServer((request, response) => request.resume().on('end', () => response.end()))
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    try {
      return await measure(options, receiver)
    } finally {
      receiver.closeAllConnections()
      receiver.close()
    }
  },
}

async function measure({ quick, place, log }: BenchOptions, receiver: Server): Promise<BenchReport> {
  const wanted = quick ? 2000 : 50_000
  const child = await startServer(place, receiver)
  try {
    const client = createClient(child.apiUrl, await createToken(child), IN_FLIGHT)
    await warmUp(client)
    const started = performance.now()
    const load = await drive(client, wanted, log)
    const seconds = (performance.now() - started) / 1000
    client.close()
    const memory = await child.settle()
    const deviations = await child.close()
    return {
      headline: { requests_per_s: Math.round(load.done / seconds), peak_mb: Math.round(memory.peakMb) },
      details: {
        requests: load.done,
        seconds: Math.round(seconds * 10) / 10,
        in_flight: IN_FLIGHT,
        rss_mb: Math.round(memory.rssMb),
        refused: load.refused,
        deviations,
        median_ms: load.medians,
      },
    }
  } finally {
    child.kill()
  }
}

// One request of each kind: validators are made at the first.
async function warmUp(client: Client): Promise<void> {
  await client.call('POST', '/repos/acme/demo/issues', { title: 'the first' })
  for (const kind of KINDS) await kind.run(client, 0)
}

interface Load {
  readonly done: number
  /** Answers other than 2xx and 304, by kind: there should be none. */
  readonly refused: Readonly<Record<string, number>>
  readonly medians: Readonly<Record<string, number>>
}

async function drive(client: Client, wanted: number, log: (message: string) => void): Promise<Load> {
  const round = shuffle(KINDS.flatMap((kind) => Array.from({ length: kind.share }, () => kind)))
  const times = new Map<Kind, number[]>(KINDS.map((kind) => [kind, []]))
  const refused: Record<string, number> = {}
  let done = 0
  let ordinal = 0
  let told = 0
  const work = async (): Promise<void> => {
    while (done < wanted) {
      ordinal += 1
      const kind = round[ordinal % round.length]
      if (kind === undefined) return
      done += kind.requests
      if (done >= told + 10_000) {
        told += 10_000
        log(`${told} requests`)
      }
      const started = performance.now()
      const answers = await kind.run(client, ordinal)
      times.get(kind)?.push((performance.now() - started) / kind.requests)
      const bad = answers.filter(({ status }) => status >= 400).length
      if (bad > 0) refused[kind.name] = (refused[kind.name] ?? 0) + bad
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, work))
  const medians = [...times].map(([kind, list]) => [kind.name, middle(list)] as const)
  return { done, refused, medians: Object.fromEntries(medians) }
}

// A fixed order in which the kinds are spread: every run makes the same requests.
function shuffle<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item, index) => ({ item, key: (index * 7919) % 1009 }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
}

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return Math.round((sorted[sorted.length >> 1] ?? 0) * 100) / 100
}

async function startServer(place: string, receiver: Server): Promise<BoxProcess> {
  const address = receiver.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return await startBoxProcess({
    folder: join(place, 'state'),
    files: { 'README.md': '# demo\n', 'src/a.txt': 'one\ntwo\n' },
    app: { permissions: PERMISSIONS, events: EVENTS, webhookUrl: `http://127.0.0.1:${port}/` },
  })
}

/** A token of the App's installation, got as Apps get it. */
async function createToken({ apiUrl, app }: BoxProcess): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode({ iat: now - 30, exp: now + 300, iss: app.id })}`
  const jwt = `${signed}.${createSign('RSA-SHA256').update(signed).sign(app.privateKey, 'base64url')}`
  const client = createClient(apiUrl, jwt, 1)
  const { json } = await client.call('POST', '/app/installations/1/access_tokens', {})
  client.close()
  return String(json.token)
}
