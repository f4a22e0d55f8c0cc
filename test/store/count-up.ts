import { createGitEnvironment } from '../../src/git/command.ts'
import { ObjectStore } from '../../src/git/objects/object-store.ts'
import { RefWriter } from '../../src/git/refs.ts'
import { openRepository } from '../../src/git/repository.ts'
import { LocalStore } from '../../src/store/local-store.ts'
import type { Snapshot } from '../../src/store/state-store.ts'

// A process of its own that raises the tokens used by the campaign `demo` by 1, so many times, by
// compare-and-swap. Prints how often somebody else came first.
const [folder = '', times = '', writer = ''] = process.argv.slice(2)
const repository = await openRepository(folder, createGitEnvironment(process.env))
const objects = new ObjectStore(repository)
const refs = new RefWriter(repository)
const store = new LocalStore({ repository, objects, refs })

let conflicts = 0
let snapshot = await load()
for (let written = 0; written < Number(times); ) {
  const { state, config, revision } = snapshot
  const tokens = state.campaign.used.tokens + 1
  const campaign = { ...state.campaign, used: { ...state.campaign.used, tokens } }
  const subject = `${writer} ${tokens}`
  const change = { state: { ...state, campaign }, config, pages: new Map(), subject, at: new Date() }
  const outcome = await store.commit(revision, change)
  if (outcome.status === 'committed') {
    written++
    snapshot = outcome.snapshot
  } else {
    conflicts++
    snapshot = await load()
  }
}
await Promise.all([objects.close(), refs.close()])
console.log(conflicts)

async function load(): Promise<Snapshot> {
  const found = await store.load('demo')
  if (found === undefined) throw new Error('there is no campaign demo')
  return found
}
