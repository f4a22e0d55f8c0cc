import { Probot, ProbotOctokit, Server } from 'probot'
import { LoreleyApp } from './app.ts'
import { createLog, type LogOptions } from './log.ts'
import type { AppOptions } from './options.ts'

/** The registered App, and where it logs. */
export interface OnceOptions extends AppOptions {
  readonly appId: number
  readonly privateKey: string
  readonly secret: string
  readonly logLevel: LogOptions['level']
  readonly logTo?: LogOptions['to']
}

export interface ServeOptions extends OnceOptions {
  readonly host: string
  readonly port: number
}

export interface RunningApp {
  readonly app: LoreleyApp
  readonly port: number
  stop(): Promise<void>
}

/** Serves the app over HTTP, and starts to reconcile. */
export async function serveApp(options: ServeOptions): Promise<RunningApp> {
  const { host, port } = options
  const { log, ...probot } = probotOptions(options)
  const server = new Server({ host, port, log, Probot: Probot.defaults(probot) })
  const app = new LoreleyApp(options)
  await server.load((loaded, given) => app.load(loaded, given))
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

/** Reconciles every repository once, without a server. Returns how many failed; the log says why. */
export async function reconcileOnce(options: OnceOptions): Promise<number> {
  const app = new LoreleyApp({ ...options, settings: { ...options.settings, startMs: 0 } })
  await app.load(new Probot(probotOptions(options)), { cwd: process.cwd(), addHandler: () => undefined })
  const failures = await app.reconcileOnce()
  await app.stop()
  return failures
}

function probotOptions({ appId, privateKey, secret, baseUrl, logLevel, logTo }: OnceOptions) {
  // Our own pacer knows what is urgent. Probot only takes the function form: it overrides an object without a warning.
  const Octokit = ProbotOctokit.defaults((defaults: object) => ({
    ...defaults,
    throttle: { enabled: false },
    retry: { enabled: false },
  }))
  // Probot would log in its own format, whatever the level.
  const log = createLog({ level: logLevel, to: logTo, secrets: [privateKey, secret] })
  return { appId, privateKey, secret, baseUrl, Octokit, log }
}
