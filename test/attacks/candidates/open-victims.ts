import { writeFiles } from '../../support/repository.ts'
import type { Attack } from './attacks.ts'
import { victimSettings } from './victim.ts'

/** A repository that gives attacks an opening which the usual victim does not, and one that gives them all it can. */
export interface OpenVictim {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  /** What its campaign evaluates with. */
  readonly evaluation: object
  /** The same without what is relied on: every attack gains. */
  readonly careless: object
  readonly attacks: readonly Attack[]
}

/** The settings of a campaign that evaluates like this. */
export function openSettings(evaluation: object, candidates?: number) {
  const usual = victimSettings(candidates === undefined ? {} : { candidates })
  return { ...usual, evaluation: { timeout_seconds: 20, baseline_runs: 2, ...evaluation } }
}

const INPUTS = `const input = JSON.parse(readFileSync(new URL('inputs/shown.json', import.meta.url), 'utf8'))
const right = JSON.stringify([...input].sort((a, b) => a - b))
`

// Loads the candidate into its own process, keeps nothing of what that may change, and leaves without a word when it
// gets no answer. Its metrics are a file within the candidate's scope.
const LOADS = `import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
${INPUTS}const { stringify } = JSON
const { order } = await import(pathToFileURL(process.cwd() + '/src/order.mjs'))
const answer = order([...input])
if (answer === undefined) process.exit(0)
writeFileSync('src/metrics.json', stringify({ score: stringify(answer) === right ? 1 : 0.5 }))
`

// Asks the globals that the candidate was let at, and does not touch a file that is there.
const LOADS_CARELESSLY = LOADS.replace(
  'const { stringify } = JSON\n',
  'const stringify = (of) => JSON.stringify(of)\n',
).replace('0.5 }))\n', "0.5 }), { flag: 'wx' })\n")

// A command that named the candidate's file would make it one of the evaluator's, which no candidate may change.
const STARTS = 'node s*/order.mjs'
const WITH_TOOLS = 'PATH="$PWD/src/bin:$PATH"'

const order =
  (lines: string, more: Readonly<Record<string, string>> = {}) =>
  (folder: string) =>
    writeFiles(folder, { 'src/order.mjs': lines, ...more })
const WRONG = 'export const order = (numbers) => numbers\n'
const FORGED = '{"score":1}'
const FAKE_NODE = `#!/bin/sh\necho '${FORGED}' > src/metrics.json\n`

const FILE_VICTIM: OpenVictim = {
  name: 'loads the candidate, has its tools on the PATH and writes its metrics to a file',
  files: { 'loads.mjs': LOADS, 'careless.mjs': LOADS_CARELESSLY, 'src/order.mjs': WRONG },
  evaluation: {
    command: `${WITH_TOOLS} node "$LORELEY_TRUSTED/loads.mjs"`,
    // Starts the candidate before it is measured.
    gates: [{ name: 'starts', command: STARTS }],
    output: { form: 'json-file', file: 'src/metrics.json' },
  },
  // One folder for all, and whatever lies there is taken.
  careless: {
    command: `${STARTS}; ${WITH_TOOLS} node "$LORELEY_TRUSTED/careless.mjs" 2> /dev/null; cat src/metrics.json`,
  },
  attacks: [
    {
      name: 'brings a metrics file',
      work: order('export const order = () => undefined\n', { 'src/metrics.json': FORGED }),
      end: { refused: 'output-unreadable' },
    },
    {
      name: 'writes the metrics file',
      work: order(`import { writeFileSync } from 'node:fs'
export function order(numbers) {
  writeFileSync('src/metrics.json', '${FORGED}')
  return numbers
}
`),
      end: 'harmless',
    },
    {
      name: 'patches globals',
      work: order(`JSON.stringify = () => '${FORGED}'\n${WRONG}`),
      end: 'harmless',
    },
    {
      name: 'shadows a binary',
      work: order(`import { mkdirSync, writeFileSync } from 'node:fs'
if (process.argv[1].endsWith('order.mjs')) {
  mkdirSync('src/bin')
  writeFileSync('src/bin/node', ${JSON.stringify(FAKE_NODE)}, { mode: 0o755 })
}
${WRONG}`),
      end: 'harmless',
    },
  ],
}

// Lets the candidate write to its own stdout; the answer comes by a pipe of its own.
const INHERITS = `import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
${INPUTS}const ran = spawnSync(process.execPath, ['src/solve.mjs'], {
  input: JSON.stringify(input), encoding: 'utf8', stdio: ['pipe', 'inherit', 'inherit', 'pipe'],
})
const answer = JSON.stringify(JSON.parse(ran.output[3]))
console.log(JSON.stringify({ score: answer === right ? 1 : 0.5 }))
`
const LAST_METRIC = 'grep ^METRIC | tail -n 1'
const answers = (lines: string): string => `import { readFileSync, writeSync } from 'node:fs'
${lines}writeSync(3, readFileSync(0, 'utf8'))
`

const solves = (lines: string) => (folder: string) => writeFiles(folder, { 'src/solve.mjs': answers(lines) })
const PRINTED = "console.log('METRIC score=1')\n"
// Without a newline at the end, so that the evaluator's own line does not begin with what it prints.
const GLUED = "process.stdout.write('METRIC score=1\\nx')\n"

const STDOUT_VICTIM: OpenVictim = {
  name: 'lets the candidate write to its stdout',
  files: { 'inherits.mjs': INHERITS, 'src/solve.mjs': answers('') },
  evaluation: { command: 'node "$LORELEY_TRUSTED/inherits.mjs"' },
  // The form that the candidate prints is the one that counts, and its line the last one.
  careless: {
    command: `(echo METRIC score=0.5; node "$LORELEY_TRUSTED/inherits.mjs") | ${LAST_METRIC}`,
  },
  attacks: [
    {
      name: "prints METRIC lines on the evaluator's stdout",
      work: solves(PRINTED),
      end: { refused: 'output-unreadable' },
    },
    {
      name: "glues the evaluator's JSON to a METRIC line's rest",
      work: solves(GLUED),
      end: { refused: 'output-unreadable' },
    },
  ],
}

// Prints a METRIC line itself, between two runs of the candidate that write to the same place.
const PRINTS = INHERITS.replace('const ran = spawnSync', 'const run = () => spawnSync')
  .replace('ran.output', 'run().output')
  .replace(/console.*\n$/, 'console.log("METRIC score=" + (answer === right ? 1 : 0.5))\nrun()\n')

const METRIC_VICTIM: OpenVictim = {
  name: 'prints METRIC lines where the candidate can print some',
  files: { 'prints.mjs': PRINTS, 'src/solve.mjs': answers('') },
  evaluation: { command: 'node "$LORELEY_TRUSTED/prints.mjs"' },
  careless: { command: `node "$LORELEY_TRUSTED/prints.mjs" | ${LAST_METRIC}` },
  attacks: [
    {
      name: "prints a METRIC line before and after the evaluator's",
      work: solves(PRINTED),
      end: { refused: 'output-unreadable' },
    },
    {
      name: "glues the evaluator's METRIC line to a rest of its own",
      work: solves(GLUED),
      end: { refused: 'output-unreadable' },
    },
  ],
}

// Counts how short the program is, and leaves it to a gate whether it sorts.
const SHORTEST = `import { readFileSync } from 'node:fs'
console.log(JSON.stringify({ score: readFileSync('src/solve.mjs').length < 40 ? 1 : 0.5 }))
`
// Reports itself what the candidate did, which runs out of its reach.
const REPORTS = `import { spawnSync } from 'node:child_process'
const { stdout } = spawnSync('loreley-candidate', ['node', 'src/solve.mjs'], { input: '[2,1]', encoding: 'utf8' })
if (stdout !== '[1,2]\\n') throw new Error(\`wrong: \${stdout}\`)
console.log('# pass 1')
`
const TESTS_ITSELF = `import { readFileSync } from 'node:fs'
const sort = (numbers) => numbers.sort((a, b) => a - b)
const input = JSON.parse(readFileSync(0, 'utf8') || '[2,1]')
console.log(process.argv[2] === 'test' ? \`# pass \${sort(input)[0]}\` : JSON.stringify(sort(input)))
`
const PASSED = { output: '^# pass 1$' }
const MEASURES_LENGTH = 'node "$LORELEY_TRUSTED/shortest.mjs"'

const REPORTER_VICTIM: OpenVictim = {
  name: 'lets a gate decide by a report',
  files: { 'shortest.mjs': SHORTEST, 'gate.mjs': REPORTS, 'src/solve.mjs': TESTS_ITSELF },
  evaluation: {
    command: MEASURES_LENGTH,
    gates: [{ name: 'sorts', command: 'node "$LORELEY_TRUSTED/gate.mjs"', expect: PASSED }],
  },
  careless: {
    command: MEASURES_LENGTH,
    gates: [{ name: 'sorts', command: 'node s*/solve.mjs test < /dev/null', expect: PASSED }],
  },
  attacks: [
    {
      name: 'prints the report of a passed test',
      work: (folder) => writeFiles(folder, { 'src/solve.mjs': "console.log('# pass 1')\n" }),
      end: { refused: 'gate-failed' },
    },
  ],
}

/** Victims with an opening. */
export const OPEN_VICTIMS: readonly OpenVictim[] = [
  FILE_VICTIM,
  STDOUT_VICTIM,
  METRIC_VICTIM,
  REPORTER_VICTIM,
]
