import { readdirSync, readFileSync } from 'node:fs'
import { writeFiles } from '../../support/repository.ts'
import type { Attack } from './attacks.ts'
import { aSolver } from './victim.ts'

// Tells this test's daemons from all others.
const MARK = `loreley-burner-${process.pid}`

// A noisy evaluator, in whose place a stopwatch would be: what burns in the root's turn costs the root half its score.
const NOISY = `import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
const isBurning = (pid) => {
  try { return readFileSync('/proc/' + pid + '/cmdline', 'utf8').includes('${MARK}') } catch { return false }
}
const isSlowed = readdirSync('/proc').some(isBurning) && !readFileSync('src/solve.mjs', 'utf8').includes('spawn')
spawnSync(process.execPath, ['src/solve.mjs'], { input: '[]' })
console.log(0.5 * (0.99 + 0.02 * Math.random()) * (isSlowed ? 0.5 : 1))
`

/** A victim whose numbers vary, so that the root takes turns with its candidates. */
export const NOISY_VICTIM = {
  files: { 'noisy.mjs': NOISY },
  evaluation: { command: 'node "$LORELEY_TRUSTED/noisy.mjs"' },
  /** What its root's runs give. */
  rootRuns: [0.497, 0.502, 0.499, 0.504, 0.496, 0.501, 0.503, 0.498, 0.5, 0.495, 0.505, 0.4995],
}

// Bounded: a second of the processor, and half a minute of life.
const BURN = `/* ${MARK} */ const end = Date.now() + 1000; while (Date.now() < end); setTimeout(() => {}, 30_000)`

/** A candidate that leaves a daemon behind, for the root's turn; without a trace when nothing in it tells whose it is. */
export function aBurner(how: 'plain' | 'without a trace'): Attack {
  const command = how === 'plain' ? ['node'] : ['setsid', 'env', '-i', process.execPath]
  const [program, ...args] = [...command, '-e', BURN]
  const lines = `const { spawn } = await import('node:child_process')
spawn('${program}', ${JSON.stringify(args)}, { detached: true, stdio: 'ignore' }).unref()`
  return {
    name: "leaves a daemon for the root's turn",
    work: (folder) => writeFiles(folder, { 'src/solve.mjs': aSolver(lines) }),
    end: 'harmless',
  }
}

/** The daemons that are alive. */
export function findBurners(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(MARK)
      } catch {
        // Gone meanwhile.
        return false
      }
    })
}
