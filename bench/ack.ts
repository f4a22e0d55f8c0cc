import { type ChildProcess, fork } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { EVENTS } from '../src/app/server/webhook-events.ts'
import { findFreePort } from '../src/entrypoints/cli/demo/free-port.ts'
import { PERMISSIONS } from '../src/github/installation/repository-transport.ts'
import { type BenchOptions, median } from './bench.ts'
import { type BoxProcess, startBoxProcess } from './box-process.ts'
import { createClient } from './box-requests.ts'

const SERVER = fileURLToPath(new URL('./ack-server.mjs', import.meta.url))
const SECRET = 'the-secret'
const PER_SECOND = 200
const ROUNDS = 4

/** Median milliseconds from a delivery to its acknowledgement. */
export interface AckTimes {
  readonly ours: number
  readonly bare: number
  readonly perSecond: number
}

interface Delivery {
  readonly event: string
  readonly payload: unknown
}

/** Sends the same deliveries at the same pace to the app and to a Probot app that does nothing, interleaved. */
export async function measureAcks({ quick, place, log }: BenchOptions): Promise<AckTimes> {
  const box = await startBoxProcess({
    folder: join(place, 'ack-box'),
    files: { 'README.md': '# demo\n' },
    app: { permissions: PERMISSIONS, events: EVENTS },
  })
  const servers: Server[] = []
  try {
    const deliveries = deliveriesFor(await readRepository(box))
    const [ours, bare] = [await startServer('ours', box), await startServer('bare', box)]
    servers.push(ours, bare)
    const seconds = quick ? 1 : 5
    const times = { ours: [] as number[], bare: [] as number[] }
    // The first round warms both up and is not counted.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [name, server] of [
        ['bare', bare],
        ['ours', ours],
      ] as const) {
        const taken = await send(server.port, deliveries, seconds * PER_SECOND)
        if (round > 0) times[name].push(...taken)
      }
      log(`acknowledgements: round ${round} of ${ROUNDS}`)
    }
    return { ours: median(times.ours), bare: median(times.bare), perSecond: PER_SECOND }
  } finally {
    for (const { child } of servers) child.kill('SIGKILL')
    box.kill()
  }
}

interface Server {
  readonly child: ChildProcess
  readonly port: number
}

async function startServer(kind: 'ours' | 'bare', { apiUrl, app }: BoxProcess): Promise<Server> {
  const port = await findFreePort()
  const options = {
    kind,
    port,
    host: '127.0.0.1',
    appId: app.id,
    privateKey: app.privateKey,
    secret: SECRET,
    baseUrl: apiUrl,
  }
  const child = fork(SERVER, [JSON.stringify(options)], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  return { child, port }
}

async function readRepository({ apiUrl, users }: BoxProcess): Promise<Readonly<Record<string, unknown>>> {
  const client = createClient(apiUrl, users.find(({ login }) => login === 'wendy')?.token ?? '', 1)
  const { json } = await client.call('GET', '/repos/acme/demo')
  client.close()
  return json
}

// What an installed App hears all day and has little to do about: a push, a comment, a label, a run of other CI.
function deliveriesFor(repository: Readonly<Record<string, unknown>>): readonly Delivery[] {
  const common = { repository, installation: { id: 1 }, sender: { login: 'wendy', type: 'User' } }
  const issue = { number: 1, title: 'An issue', body: 'text '.repeat(200) }
  const comment = { id: 1, body: 'I have seen this too. '.repeat(20), user: { login: 'wendy' } }
  const label = { name: 'bug' }
  return [
    { event: 'push', payload: { ref: 'refs/heads/feature', commits: [], ...common } },
    { event: 'issue_comment', payload: { action: 'created', issue, comment, ...common } },
    { event: 'issues', payload: { action: 'opened', issue, ...common } },
    { event: 'check_run', payload: { action: 'completed', check_run: { id: 1, name: 'test' }, ...common } },
    {
      event: 'workflow_run',
      payload: { action: 'requested', workflow_run: { id: 1, name: 'CI' }, label, ...common },
    },
  ]
}

/** Starts one delivery each five milliseconds, whether or not earlier ones are acknowledged. */
async function send(
  port: number,
  deliveries: readonly Delivery[],
  count: number,
): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true })
  const begun = performance.now()
  const waiting: Promise<number>[] = []
  for (let index = 0; index < count; index++) {
    const delivery = deliveries[index % deliveries.length]
    if (delivery !== undefined) waiting.push(deliver(agent, port, delivery))
    const behind = performance.now() - begun - ((index + 1) * 1000) / PER_SECOND
    if (behind < 0) await wait(-behind)
  }
  const times = await Promise.all(waiting)
  agent.destroy()
  return times
}

async function deliver(agent: Agent, port: number, { event, payload }: Delivery): Promise<number> {
  const body = JSON.stringify(payload)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/bench',
    'x-github-event': event,
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
  }
  const begun = performance.now()
  const options = { port, host: '127.0.0.1', path: '/api/github/webhooks', method: 'POST', agent, headers }
  return await new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - begun)
        else reject(new Error(`a delivery was answered with ${response.statusCode}`))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
