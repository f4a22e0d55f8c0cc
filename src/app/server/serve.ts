import { Probot, ProbotOctokit, Server } from 'probot'
import { LoreleyApp } from './app.ts'
import { createLog, type LogOptions } from './log.ts'
import type { AppOptions } from './options.ts'

export interface ServeOptions extends AppOptions {
  readonly appId: number
  readonly privateKey: string
  readonly secret: string
  readonly host: string
  readonly port: number
  readonly logLevel: LogOptions['level']
  readonly logTo?: LogOptions['to']
}

export interface RunningApp {
  readonly app: LoreleyApp
  readonly port: number
  stop(): Promise<void>
}

/** Serves the app over HTTP, and starts to reconcile. */
export async function serveApp(options: ServeOptions): Promise<RunningApp> {
  const { appId, privateKey, secret, baseUrl, host, port, logLevel, logTo } = options
  // Our own pacer knows what is urgent; Probot's would let every request wait its turn. Only the function form
  // reaches the plugins: an object would be overridden without a word.
  const Octokit = ProbotOctokit.defaults((defaults: object) => ({
    ...defaults,
    throttle: { enabled: false },
    retry: { enabled: false },
  }))
  const server = new Server({
    host,
    port,
    // Also what Probot itself has to say: it would write it in a form of its own, whatever the level.
    log: createLog({ level: logLevel, to: logTo, secrets: [privateKey, secret] }),
    Probot: Probot.defaults({ appId, privateKey, secret, baseUrl, Octokit }),
  })
  const app = new LoreleyApp(options)
  await server.load((probot, given) => app.load(probot, given))
  await server.start()
  await app.watch()
  return {
    app,
    port: server.port,
    stop: async () => {
      await app.stop()
      await server.stop()
    },
  }
}
