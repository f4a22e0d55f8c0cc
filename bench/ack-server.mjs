// A server that acknowledges webhooks, as it is shipped: started by bench/ack.ts, either the app or bare Probot.
import { Probot, ProbotOctokit, Server } from 'probot'
import { serveApp } from '../dist/app/server/serve.js'
import { BOX_SETTINGS } from '../dist/app/server/settings.js'
import { NO_PACE } from '../dist/github/api/pace-settings.js'

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
