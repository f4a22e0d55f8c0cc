import { mkdir } from 'node:fs/promises'
import { NO_USAGE } from '../src/core/budget/budget.ts'
import { createCampaign } from '../src/core/campaign/start.ts'
import { tick } from '../src/core/campaign/tick.ts'
import { LoreleyError } from '../src/errors.ts'
import { type GitEnvironment, runGit } from '../src/git/command.ts'
import type { DispatchInputs } from '../src/protocol/dispatch.ts'
import { STATE_REF } from '../src/store/layout.ts'
import { openGit } from '../src/store/open-git.ts'
import { parseOneCampaign } from './campaign-run.ts'
import { readRoot } from './sample-repository.ts'

/** An agent and an evaluator that cost next to nothing. */
export const CONFIG_TEXT = `
goal: Cost nothing.
scope: { editable: [src/**] }
objectives: [{ metric: value, direction: maximize }]
evaluation: { command: echo 1 }
agent: { use: command, command: { code: echo more >> src/a.txt } }
`
const CONFIG = parseOneCampaign(CONFIG_TEXT, 'the action benchmark')

export interface Remote {
  readonly url: string
  readonly token: string
}

/** Clones a repository, publishes a campaign with its first candidate open, and gives what dispatches that one. */
export async function publishCampaign(
  { url, token }: Remote,
  folder: string,
  environment: GitEnvironment,
): Promise<DispatchInputs> {
  const remote = new URL(url)
  Object.assign(remote, { username: 'x-access-token', password: token })
  await mkdir(folder)
  const git = (...args: string[]): Promise<Buffer> => runGit({ args, environment, cwd: folder })
  await git('clone', '-q', remote.href, '.')
  const opened = await openGit(folder, environment)
  try {
    const root = await readRoot(opened)
    const start = createCampaign({
      id: CONFIG.name,
      config: CONFIG,
      order: 'arrival',
      root,
      reserved: NO_USAGE,
      evaluator: '0'.repeat(64),
    })
    const { commit, tree } = root
    const change = { files: 0, linesAdded: 0, linesRemoved: 0 }
    const measured = { status: 'measured', commit, tree, metrics: { value: 1 }, samples: [], change } as const
    const result = { ...measured, summary: 'the root', usage: NO_USAGE }
    const event = { type: 'finished', ordinal: 0, attempt: 1, result } as const
    const at = new Date(root.seconds * 1000)
    // The part of the tree index that the root falls into, as a store would load it.
    const trees = new Map([[tree.slice(0, 2), new Map()]])
    const { state } = tick({ ...start, trees }, [event], at)
    const written = await opened.store.commit(undefined, {
      state,
      config: CONFIG,
      pages: new Map(),
      subject: `${CONFIG.name}: bench`,
      at,
    })
    if (written.status === 'conflict')
      throw new LoreleyError('internal', 'A fresh state met a conflict.', 'Run the benchmark again.')
  } finally {
    await opened.close()
  }
  await git('push', '-q', 'origin', STATE_REF, 'HEAD:refs/heads/loreley/runner/bench')
  const idOf = async (name: string): Promise<string> => String(await git('rev-parse', name)).trim()
  const [root, state] = [await idOf('HEAD'), await idOf(STATE_REF)]
  return { kind: 'candidate', candidate: `${CONFIG.name}-0001`, state, root, base: root, nonce: 'bench-0001' }
}
