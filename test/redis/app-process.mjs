// One process of the app, as it is shipped: started by app-processes.ts with its options on the command line.
import { serveApp } from '../../src/app/server/serve.ts'
import { BOX_SETTINGS } from '../../src/app/server/settings.ts'
import { NO_PACE } from '../../src/github/api/pace-settings.ts'

const options = JSON.parse(process.argv[2])
const settings = { ...BOX_SETTINGS, reportMs: 0, searchMs: 0, ...options.settings }
await serveApp({ ...options, pace: NO_PACE, settings, host: '127.0.0.1' })
process.send('ready')
