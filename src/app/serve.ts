import { Probot, ProbotOctokit, Server } from 'probot'
import { type AppOptions, LoreleyApp } from './app.ts'

export interface ServeOptions extends AppOptions {
  readonly appId: number
  readonly privateKey: string
  readonly secret: string
  readonly host: string
  readonly port: number
  readonly logLevel: 'info' | 'warn' | 'error' | 'fatal'
}

export interface RunningApp {
  readonly app: LoreleyApp
  readonly port: number
  stop(): Promise<void>
}

/** Serves the app over HTTP, and begins to look around. */
export async function serveApp(options: ServeOptions): Promise<RunningApp> {
  const { appId, privateKey, secret, baseUrl, host, port, logLevel } = options
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
    loggingOptions: { autoLogging: false },
    Probot: Probot.defaults({ appId, privateKey, secret, baseUrl, logLevel, Octokit }),
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
