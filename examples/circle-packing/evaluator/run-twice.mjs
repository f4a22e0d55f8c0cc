// Runs the candidate in processes of their own and returns what they handed over.
import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const TIMEOUT_MS = 5_000
const MAX_BYTES = 64 * 1024
const HERE = realpathSync(fileURLToPath(new URL('.', import.meta.url)))

// Two runs at once that must agree.
export async function runTwice(candidate, count) {
  const [first, second] = await Promise.all([runOnce(candidate, count), runOnce(candidate, count)])
  if (first !== second) throw new Error('two runs gave different packings: the program must be deterministic')
  return first
}

export function runOnce(candidate, count) {
  const folder = realpathSync(candidate)
  return new Promise((resolve, reject) => {
    const args = [
      ...permissionFlags(folder),
      join(HERE, 'child.mjs'),
      join(folder, 'src/pack.js'),
      `${count}`,
    ]
    // An empty environment, and a pipe of its own (3) for the result: stdout belongs to the candidate.
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    })
    const result = collect(child.stdio[3], () => refuse(`it handed over more than ${MAX_BYTES} bytes`))
    const complaints = collect(child.stderr)
    const timer = setTimeout(() => refuse(`it ran for more than ${TIMEOUT_MS / 1000} s`), TIMEOUT_MS)

    function refuse(reason) {
      clearTimeout(timer)
      child.kill('SIGKILL')
      reject(new Error(`the program was stopped: ${reason}`))
    }
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      if (code === 0) return resolve(result())
      reject(new Error(`the program ended with ${signal ?? `code ${code}`}: ${firstLine(complaints())}`))
    })
  })
}

// Node's permission model: the candidate reads its own files, writes none and starts no process. Without it,
// it could write to this process's stdout through /proc. The flag lost its prefix in Node 22.13.
function permissionFlags(folder) {
  const isStable = process.allowedNodeEnvironmentFlags.has('--permission')
  return [
    isStable ? '--permission' : '--experimental-permission',
    '--no-warnings',
    `--allow-fs-read=${join(folder, '*')}`,
    `--allow-fs-read=${join(HERE, '*')}`,
  ]
}

// Keeps at most MAX_BYTES and goes on reading, so that a flood neither fills memory nor blocks the child.
function collect(stream, onOverflow = undefined) {
  const chunks = []
  let bytes = 0
  stream.on('data', (chunk) => {
    bytes += chunk.length
    if (bytes <= MAX_BYTES) chunks.push(chunk)
    else onOverflow?.()
  })
  return () => Buffer.concat(chunks).toString('utf8')
}

// Node prints the source line first; the line that names the error says more.
function firstLine(text) {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.find((line) => line !== '') ?? 'no message'
}
