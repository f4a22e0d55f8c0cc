// Runs in the candidate's process: answers each line on stdin, a text, with a line on stdout, its counts.
import { readSync, writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

// What the candidate prints is no part of its answers.
process.stdout.write = process.stderr.write.bind(process.stderr)
const { countWords } = await import(pathToFileURL(process.argv[2]).href)
const chunk = Buffer.alloc(1 << 16)
let unread = ''

for (let text = readLine(); text !== undefined; text = readLine()) writeLine(JSON.stringify(countWords(text)))
process.exit(0)

// Undefined when there are no more.
function readLine() {
  for (let end = unread.indexOf('\n'); ; end = unread.indexOf('\n')) {
    if (end >= 0) {
      const line = unread.slice(0, end)
      unread = unread.slice(end + 1)
      return line
    }
    const bytes = readSync(0, chunk)
    if (bytes === 0) return undefined
    unread += chunk.toString('latin1', 0, bytes)
  }
}

function writeLine(line) {
  let rest = Buffer.from(`${line}\n`)
  while (rest.length > 0) rest = rest.subarray(writeSync(1, rest))
}
