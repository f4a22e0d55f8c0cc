import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

const LOCK_MODULE = new URL('../../dist/local/lock.js', import.meta.url).href

// Told `take <path>` it tries once and answers `held` or the fault's code; told `drop` it releases.
const PROGRAM = `
  const { acquireLock } = await import(${JSON.stringify(LOCK_MODULE)})
  const { createInterface } = await import('node:readline')
  let lock
  console.log('ready')
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'drop') {
      await lock?.release()
      lock = undefined
      console.log('dropped')
      continue
    }
    try {
      lock = await acquireLock(line.slice('take '.length), 'demo')
      console.log('held')
    } catch (error) {
      console.log(error.code ?? error.message)
    }
  }
`

/** Another process that wants a lock. */
export interface Contender {
  readonly child: ChildProcess
  ask(line: string): Promise<string>
}

/** Starts a process that takes and drops locks when told to. */
export async function aContender(): Promise<Contender> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })
  await once(lines, 'line')
  return {
    child,
    ask: async (line) => {
      const answered = once(lines, 'line')
      child.stdin.write(`${line}\n`)
      const [answer] = await answered
      return String(answer)
    },
  }
}
