// Starts the candidate's program out of reach of this process. Loreley puts `loreley-candidate` on the PATH for that:
// it gives the program users, processes, files and a network of its own.
import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = realpathSync(fileURLToPath(new URL('.', import.meta.url)))
const HAS_LAUNCHER = process.env.LORELEY_WORKSPACE !== undefined

if (!HAS_LAUNCHER)
  console.error('loreley-candidate is missing outside Loreley: the candidate runs as a plain child')

// Runs child.mjs with these arguments. It gets inputs on stdin and answers on stdout.
export function startCandidate(folder, args) {
  const command = [process.execPath, ...permissionFlags(folder), join(HERE, 'child.mjs'), ...args]
  const [program, ...rest] = HAS_LAUNCHER ? ['loreley-candidate', ...command] : command
  // The launcher needs the environment, and removes its own variables from it.
  return spawn(program, rest, { cwd: folder, env: HAS_LAUNCHER ? process.env : {} })
}

// Node's permission model: the candidate reads its own files, writes none and starts no process. A plain child could
// otherwise write to this process's stdout through /proc. The flag lost its prefix in Node 22.13.
function permissionFlags(folder) {
  const isStable = process.allowedNodeEnvironmentFlags.has('--permission')
  return [
    isStable ? '--permission' : '--experimental-permission',
    '--no-warnings',
    `--allow-fs-read=${join(folder, '*')}`,
    `--allow-fs-read=${join(HERE, '*')}`,
  ]
}
