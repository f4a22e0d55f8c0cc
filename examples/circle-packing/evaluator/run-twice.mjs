// Runs the candidate in processes of their own and returns what they handed over.
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { startCandidate } from './start-candidate.mjs'

const TIMEOUT_MS = 5_000
const MAX_BYTES = 64 * 1024

// Two runs at once that must agree.
export async function runTwice(candidate, count) {
  const [first, second] = await Promise.all([runOnce(candidate, count), runOnce(candidate, count)])
  if (first !== second) throw new Error('two runs gave different packings: the program must be deterministic')
  return first
}

export function runOnce(candidate, count) {
  const folder = realpathSync(candidate)
  return new Promise((resolve, reject) => {
    const child = startCandidate(folder, [join(folder, 'src/pack.js'), `${count}`])
    child.stdin.end()
    const result = collect(child.stdout, () => refuse(`it handed over more than ${MAX_BYTES} bytes`))
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
