import { spawn } from 'node:child_process'
import { once } from 'node:events'

const SAID_CHARACTERS = 2000

/**
 * Runs a system program; returns its error output if it failed. It gets its own process group: Ctrl-C is ours to handle,
 * and an interrupted program would look like a fault.
 */
export async function tryProgram(
  program: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const said = await runOnce(program, env)
  // It leaves our group shortly after the fork: a Ctrl-C in between may have killed it before it started.
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
