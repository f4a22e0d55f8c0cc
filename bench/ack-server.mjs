// A server that acknowledges webhooks, as it is shipped: started by bench/ack.ts, either the app or bare Probot.
import { Probot, ProbotOctokit, Server } from 'probot'
import { serveApp } from '../src/app/server/serve.ts'
import { BOX_SETTINGS } from '../src/app/server/settings.ts'
import { NO_PACE } from '../src/github/api/pace-settings.ts'

const { kind, ...options } = JSON.parse(process.argv[2])
if (kind === 'ours') {
  await serveApp({
    ...options,
    webUrl: options.baseUrl,
    pace: NO_PACE,
    settings: BOX_SETTINGS,
    logLevel: 'fatal',
  })
} else {
  const server = new Server({
    ...options,
    loggingOptions: { autoLogging: false },
    Probot: Probot.defaults({ ...options, logLevel: 'fatal', Octokit: ProbotOctokit }),
  })
  await server.load((probot) => probot.onAny(() => undefined))
  await server.start()
}
process.send('ready')
