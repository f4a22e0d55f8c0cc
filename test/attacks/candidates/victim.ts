import { parseConfig } from '../../../src/config/file/parse.ts'

// Runs the candidate as a child on inputs of its own and judges the answer itself. It trusts one thing it should not:
// the bonus that the candidate claims. That is what declared bounds are for.
const EVALUATOR = `import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
const input = JSON.parse(readFileSync(new URL(process.argv[2], import.meta.url), 'utf8'))
const ran = spawnSync(process.execPath, ['src/solve.mjs'], {
  input: JSON.stringify(input), encoding: 'utf8', maxBuffer: 65536, stdio: ['pipe', 'pipe', 'inherit'],
})
if (ran.status !== 0) throw new Error(\`the candidate ended with \${ran.status ?? ran.error?.code ?? ran.signal}\`)
const lines = ran.stdout.trim().split('\\n')
const { answer, bonus = 0 } = JSON.parse(lines.length === 1 ? lines[0] : 'more than one line')
const right = JSON.stringify([...input].sort((a, b) => a - b))
console.log(JSON.stringify({ score: (JSON.stringify(answer) === right ? 1 : 0.5) + bonus * 1 }))
`

/** A solver that gets its input as `numbers` and must print one line. The root's answer is wrong: half the score. */
export function aSolver(lines: string): string {
  return `import { readFileSync } from 'node:fs'
const numbers = JSON.parse(readFileSync(0, 'utf8'))
${lines}
`
}

const HONEST = aSolver('console.log(JSON.stringify({ answer: numbers }))')

/** What the root scores: an attack that is worth no more than this has gained nothing. */
export const ROOT_SCORE = 0.5

/** The settings of the victim's campaign: every candidate starts from the root. */
export function victimSettings(
  changes: { readonly candidates?: number; readonly agent?: object; readonly maxDiskMb?: number } = {},
) {
  return {
    goal: 'Sort.',
    scope: { editable: ['src/**'], max_files: 5, max_file_bytes: 20_000 },
    objectives: [{ metric: 'score', direction: 'maximize', min: 0, max: 1 }],
    evaluation: {
      command: 'node "$LORELEY_TRUSTED/evaluate.mjs" inputs/shown.json',
      held_out: {
        command: 'node "$LORELEY_TRUSTED/evaluate.mjs" inputs/held-out.json',
        paths: ['inputs/held-out.json'],
      },
      timeout_seconds: 10,
      max_disk_mb: changes.maxDiskMb ?? 16,
      baseline_runs: 2,
    },
    search: { policy: 'independent', axes: [{ metric: 'score', min: 0, max: 1 }] },
    limits: { candidates: changes.candidates ?? 100, same_failure: 1000 },
    ...(changes.agent === undefined ? {} : { agent: changes.agent }),
  }
}

/** The repository under attack. */
export function victimFiles(settings: object = victimSettings()): Record<string, string> {
  return {
    'evaluate.mjs': EVALUATOR,
    'inputs/shown.json': '[5, 3, 9, 1, 7, 7, 2]',
    'inputs/held-out.json': '[8, 6, 0, 4]',
    // JSON is YAML too.
    '.loreley.yml': JSON.stringify(settings),
    '.github/workflows/ci.yml': 'on: push\n',
    'lib/notes.md': 'notes\n',
    'src/solve.mjs': HONEST,
    'src/solve.test.mjs': "test('sorts', () => 1)\ntest('keeps twins', () => 2)\n",
  }
}

/** The victim's campaign as a host gets it. */
export function victimConfig(settings: object) {
  const { campaigns } = parseConfig(JSON.stringify(settings), '.loreley.yml')
  const [config] = campaigns.values()
  if (config === undefined) throw new Error('the victim has no campaign')
  return config
}
