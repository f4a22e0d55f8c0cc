// Runs the same calls against the sandbox and against emulate, an independent implementation, and compares the
// answers. Usage: `npm run test:emulate -- <folder>`, where the folder has node_modules/emulate.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { Octokit } from '@octokit/rest'
import { startBox } from '../../src/sandbox/server.ts'
import { CALLS, type Memo } from './calls.ts'

interface Side {
  readonly client: Octokit
  readonly deviations: readonly string[]
  close(): Promise<void>
}

const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

async function startOurs(): Promise<Side> {
  const folder = await mkdtemp(join(tmpdir(), 'loreley-emulate-'))
  const deviations: string[] = []
  const box = await startBox({
    folder,
    environment: process.env,
    seed: { owner: 'acme', repositories: [{ name: 'demo', files: { 'README.md': '# demo\n' } }] },
    onDeviation: (deviation) => deviations.push(deviation),
  })
  const auth = box.users.find((user) => user.login === 'olivia')?.token ?? ''
  return {
    client: new Octokit({ baseUrl: box.apiUrl, auth, log: QUIET }),
    deviations,
    close: async () => {
      await box.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function startTheirs(folder: string): Promise<Side> {
  const entry = join(resolve(folder), 'node_modules/emulate/dist/api.js')
  const { createEmulator } = parseModule(await import(pathToFileURL(entry).href))
  const emulator = await createEmulator({
    service: 'github',
    port: 0,
    seed: {
      tokens: { olivia_token: { login: 'olivia', scopes: ['repo', 'user'] } },
      github: {
        users: [{ login: 'olivia' }],
        orgs: [{ login: 'acme', members: [{ login: 'olivia', role: 'admin' }] }],
        repos: [{ owner: 'acme', name: 'demo', auto_init: true }],
      },
    },
  })
  return {
    client: new Octokit({ baseUrl: emulator.url, auth: 'olivia_token', log: QUIET }),
    deviations: [],
    close: async () => await emulator.close(),
  }
}

interface EmulateModule {
  createEmulator(options: object): Promise<{ readonly url: string; close(): Promise<void> }>
}

function parseModule(module: unknown): EmulateModule {
  return module as EmulateModule
}

async function outcome(work: Promise<unknown>): Promise<unknown> {
  try {
    const said = await work
    return { said: JSON.parse(JSON.stringify(said ?? null)) }
  } catch (error) {
    if (error instanceof Error && 'status' in error) return { status: error.status }
    return { failed: String(error) }
  }
}

async function compare(ours: Side, theirs: Side): Promise<number> {
  const [ourMemo, theirMemo]: [Memo, Memo] = [{}, {}]
  let wrong = 0
  for (const call of CALLS) {
    const our = await outcome(call.run(ours.client, ourMemo))
    const their = await outcome(call.run(theirs.client, theirMemo))
    const same = isDeepStrictEqual(our, their)
    const isExpected = same === (call.differs === undefined)
    if (!isExpected) wrong += 1
    const verdict = isExpected ? (same ? 'same  ' : 'known ') : 'WRONG '
    console.log(
      `${verdict} ${call.name}${same ? '' : `\n         sandbox ${brief(our)}\n         emulate ${brief(their)}`}`,
    )
  }
  for (const deviation of new Set(ours.deviations)) {
    wrong += 1
    console.log(`WRONG  the sandbox deviates from the contract: ${deviation}`)
  }
  return wrong
}

function brief(value: unknown): string {
  return JSON.stringify(value).slice(0, 200)
}

const folder = process.argv[2]
if (folder === undefined) {
  console.error('Usage: npm run test:emulate -- FOLDER, where emulate@0.12.2 is installed.')
  process.exit(2)
}
const [ours, theirs] = [await startOurs(), await startTheirs(folder)]
try {
  const wrong = await compare(ours, theirs)
  console.log(
    `${CALLS.length} calls, ${CALLS.filter((call) => call.differs !== undefined).length} known differences, ${wrong} wrong`,
  )
  process.exitCode = wrong === 0 ? 0 : 1
} finally {
  await ours.close()
  await theirs.close()
}
