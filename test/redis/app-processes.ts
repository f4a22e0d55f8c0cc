import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { AppSettings } from '../../src/app/ports.ts'
import type { RedisAddress } from '../../src/config/environment/app-environment.ts'
import { findFreePort } from '../../src/entrypoints/cli/demo/free-port.ts'
import { type TestBox, WEBHOOK_SECRET } from '../sandbox/support.ts'

const PROGRAM = fileURLToPath(new URL('./app-process.mjs', import.meta.url))
const PATH = '/api/github/webhooks'

/** A process of the app. */
export interface AppProcess {
  readonly port: number
  kill(): Promise<void>
  metrics(): Promise<string>
}

/** Starts a process of the app against the box. */
export async function anAppProcess(
  box: TestBox,
  redis: RedisAddress | undefined,
  settings: Partial<AppSettings> = {},
): Promise<AppProcess> {
  const port = await findFreePort()
  const options = {
    port,
    appId: box.apps[0]?.id,
    privateKey: box.privateKey,
    secret: WEBHOOK_SECRET,
    baseUrl: box.apiUrl,
    webUrl: box.url,
    logLevel: 'fatal',
    settings,
    redis,
  }
  const child = fork(PROGRAM, [JSON.stringify(options)], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  onTestFinished(() => kill(child))
  const died = once(child, 'exit').then(() => Promise.reject(new Error('the app ended before it served')))
  await Promise.race([once(child, 'message'), died])
  died.catch(() => undefined)
  return {
    port,
    kill: () => kill(child),
    metrics: async () => await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** Passes every webhook on to all processes; those that are dead miss it. */
export async function startFanOut(): Promise<{ readonly url: string; readonly to: AppProcess[] }> {
  const to: AppProcess[] = []
  const server = createServer((request, response) => {
    void buffer(request).then(async (body) => {
      const headers = Object.entries(request.headers).flatMap(([name, value]) =>
        /^(x-|content-type|user-agent)/.test(name) ? [[name, String(value)] as [string, string]] : [],
      )
      const sent = to.map(({ port }) =>
        fetch(`http://127.0.0.1:${port}${PATH}`, { method: 'POST', headers, body }),
      )
      await Promise.allSettled(sent)
      response.writeHead(200).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}${PATH}`, to }
}
