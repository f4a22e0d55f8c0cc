import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const SERVER = fileURLToPath(new URL('./box-server.mjs', import.meta.url))

export interface BoxSettings {
  readonly folder: string
  /** What the repository acme/demo holds. */
  readonly files: Readonly<Record<string, string>>
  readonly app: {
    readonly permissions: Readonly<Record<string, string>>
    readonly events: readonly string[]
    readonly webhookUrl?: string
  }
  /** Executes workflows; without it they stay queued. */
  readonly runner?: { readonly path: string; readonly parallel: number }
  /** Folders of actions by `owner/repository`. */
  readonly actionFolders?: Readonly<Record<string, string>>
}

/** The sandbox in a process of its own, so that its memory can be told from the bench's. */
export interface BoxProcess {
  readonly apiUrl: string
  readonly users: readonly { readonly login: string; readonly token: string }[]
  readonly app: { readonly id: number; readonly privateKey: string }
  /** Waits for runs and webhooks to end, and tells of its memory. */
  settle(): Promise<{ readonly rssMb: number; readonly peakMb: number }>
  /** Ends it, and gives what GitHub would not have said. */
  close(): Promise<readonly string[]>
  kill(): void
}

export async function startBoxProcess(settings: BoxSettings): Promise<BoxProcess> {
  // Without tsx's loader: the built code is what people run.
  const child = fork(SERVER, [JSON.stringify(settings)], { execArgv: [] })
  const ask = async (what: string): Promise<unknown> => {
    const answer = once(child, 'message')
    child.send(what)
    return (await answer)[0]
  }
  const [hello] = await once(child, 'message')
  return {
    ...parseHello(hello),
    settle: async () => parseMemory(await ask('settle')),
    close: async () => parseEnd(await ask('close')).deviations,
    kill: () => child.kill('SIGKILL'),
  }
}

/** The token of one of the box's users. */
export function tokenOf({ users }: BoxProcess, login: string): string {
  const user = users.find((one) => one.login === login)
  if (user === undefined) throw new Error(`there is no user ${login}`)
  return user.token
}

function parseHello(message: unknown): Pick<BoxProcess, 'apiUrl' | 'users' | 'app'> {
  return message as Pick<BoxProcess, 'apiUrl' | 'users' | 'app'>
}

function parseMemory(message: unknown): { rssMb: number; peakMb: number } {
  return message as { rssMb: number; peakMb: number }
}

function parseEnd(message: unknown): { deviations: readonly string[] } {
  return message as { deviations: readonly string[] }
}
