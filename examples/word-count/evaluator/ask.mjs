// Starts the candidate in a process of its own and puts texts to it, one after the other.
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { readClock } from './clock.mjs'
import { startCandidate } from './start-candidate.mjs'

const TIMEOUT_MS = 10_000
const MAX_CHARACTERS = 1024 * 1024

// What it answered to each text, and how many milliseconds it worked for that. The clock is not the candidate's, and
// starts before it can see the text: whatever it does to its own clock, or beforehand, makes it look no faster. The
// first time includes its start.
export function ask(candidate, texts) {
  const folder = realpathSync(candidate)
  return new Promise((resolve, reject) => {
    const child = startCandidate(folder, [join(folder, 'src/count-words.js')])
    const answers = []
    let answer = ''
    let complaints = ''
    let askedAt = 0
    const timer = setTimeout(() => refuse(`it ran for more than ${TIMEOUT_MS / 1000} s`), TIMEOUT_MS)

    function askNext() {
      answer = ''
      askedAt = readClock(child.pid)
      child.stdin.write(`${texts[answers.length]}\n`)
    }
    function end() {
      clearTimeout(timer)
      child.kill('SIGKILL')
    }
    function refuse(reason) {
      end()
      reject(new Error(`the program was stopped: ${reason}`))
    }

    child.stdout.setEncoding('latin1').on('data', (said) => {
      answer += said
      if (answer.length > MAX_CHARACTERS)
        return refuse(`its answer has more than ${MAX_CHARACTERS} characters`)
      if (!answer.endsWith('\n')) return
      answers.push({ answer: answer.slice(0, -1), ms: readClock(child.pid) - askedAt })
      if (answers.length < texts.length) return askNext()
      end()
      resolve(answers)
    })
    child.stderr.setEncoding('utf8').on('data', (said) => {
      complaints = (complaints + said).slice(0, MAX_CHARACTERS)
    })
    // A candidate that is gone takes no more texts. That it ended is heard below.
    child.stdin.on('error', () => undefined)
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      reject(new Error(`the program ended with ${signal ?? `code ${code}`}: ${firstLine(complaints)}`))
    })
    askNext()
  })
}

// Node prints the source line first; the line that names the error says more.
function firstLine(text) {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.find((line) => line !== '') ?? 'no message'
}
