import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { findFreePort } from '../../src/entrypoints/cli/demo/free-port.ts'
import { RedisFault, type Reply, RespConnection } from './resp.ts'

const TOKEN = 'the-token'

/** A real redis-server behind the HTTP interface that Upstash gives its own. */
export interface TestRedis {
  readonly url: string
  readonly token: string
  /** Asks the server itself. */
  command(...parts: string[]): Promise<Reply>
  /** Kills the server; the gateway goes on and answers with errors. */
  kill(): Promise<void>
}

export async function aRedis(): Promise<TestRedis> {
  const port = await findFreePort()
  const { child, folder } = await startServer(port)
  const connection = new RespConnection(port)
  const gateway = createServer((request, response) => void serve(connection, request, response))
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  onTestFinished(async () => {
    gateway.closeAllConnections()
    gateway.close()
    connection.close()
    await kill()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    url: `http://127.0.0.1:${portOf(gateway)}`,
    token: TOKEN,
    command: (...parts) => connection.send(parts),
    kill,
  }
}

// Without redis-server the spawn fails, and the test with it: it is never skipped.
async function startServer(port: number): Promise<{ child: ChildProcess; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'loreley-redis-'))
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder]
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)))
    child.stdout.on('data', (text: Buffer) => {
      if (text.includes('Ready to accept connections')) resolve()
    })
  })
  return { child, folder }
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function serve(redis: RespConnection, request: IncomingMessage, response: ServerResponse) {
  const send = (status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const body: unknown = await json(request).catch(() => undefined)
  if (request.headers.authorization !== `Bearer ${TOKEN}`) return send(401, { error: 'Unauthorized' })
  if (!Array.isArray(body)) return send(400, { error: 'ERR no command' })
  const encode = request.headers['upstash-encoding'] === 'base64' ? encodeReply : (reply: Reply) => reply
  const answerOf = (reply: Reply) =>
    reply instanceof RedisFault ? { error: reply.message } : { result: encode(reply) }
  if (request.url === '/pipeline') {
    const replies = await Promise.all(body.map((command) => redis.send(command)))
    return send(200, replies.map(answerOf))
  }
  const answer = answerOf(await redis.send(body))
  send('error' in answer ? 400 : 200, answer)
}

// As Upstash does: every string in base64, but the plain OK.
function encodeReply(reply: Reply): unknown {
  if (Array.isArray(reply)) return reply.map(encodeReply)
  return typeof reply === 'string' && reply !== 'OK' ? Buffer.from(reply).toString('base64') : reply
}
