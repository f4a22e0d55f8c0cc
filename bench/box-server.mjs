// The box in its own process, as it is shipped: started by bench/box-process.ts, which asks for its memory at the end.
import { startBox } from '../dist/sandbox/server.js'

const { folder, files, app, runner, actionFolders } = JSON.parse(process.argv[2])
const deviations = new Set()
const box = await startBox({
  folder,
  environment: process.env,
  settings: { primaryPerHour: 1e9, ...(actionFolders && { actionFolders }) },
  runner,
  seed: {
    repositories: [{ name: 'demo', files }],
    apps: [{ slug: 'bench', webhookSecret: 'secret', ...app }],
  },
  onDeviation: (deviation) => deviations.add(deviation),
})
process.on('message', async (message) => {
  if (message === 'settle') {
    await box.runner?.settled()
    await box.settled()
    process.send({
      rssMb: process.memoryUsage().rss / 2 ** 20,
      peakMb: process.resourceUsage().maxRSS / 1024,
    })
    return
  }
  await box.close()
  process.send({ deviations: [...deviations] })
  process.disconnect()
})
process.send({ apiUrl: box.apiUrl, users: box.users, app: box.apps[0] })
