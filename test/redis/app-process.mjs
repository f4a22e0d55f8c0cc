// One process of the app, as it is shipped: started by app-processes.ts with its options on the command line.
import { serveApp } from '../../dist/app/server/serve.js'
import { BOX_SETTINGS } from '../../dist/app/server/settings.js'
import { NO_PACE } from '../../dist/github/api/pace-settings.js'

const options = JSON.parse(process.argv[2])
const settings = { ...BOX_SETTINGS, reportMs: 0, searchMs: 0, ...options.settings }
await serveApp({ ...options, pace: NO_PACE, settings, host: '127.0.0.1' })
process.send('ready')
