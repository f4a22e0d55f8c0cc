import { spawn } from 'node:child_process'
import { once } from 'node:events'

const SAID_CHARACTERS = 2000

/**
 * Runs a program of the system to its end; gives what it said when it failed. In a group of its own: Ctrl-C is for us to
 * handle, and a program that it cut off would look like a fault.
 */
export async function tryProgram(
  program: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const said = await runOnce(program, env)
  // It leaves our group a moment after it was forked: a Ctrl-C in between has ended it before it began.
  return said === INTERRUPTED ? await runOnce(program, env) : said
}

const INTERRUPTED = 'it ended with SIGINT'

async function runOnce(
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const child = spawn(program, args, { env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-SAID_CHARACTERS)
  })
  try {
    const [exitCode, signal] = await once(child, 'close')
    return exitCode === 0 ? undefined : said.trim() || `it ended with ${signal ?? `exit code ${exitCode}`}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
