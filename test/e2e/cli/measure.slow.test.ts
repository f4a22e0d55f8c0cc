import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aCli, type Cli, parseLines } from '../../support/cli.ts'
import { aFolder, aRepository, git, writeFiles } from '../../support/repository.ts'

const TIMEOUT_MS = 180_000

// Each run counts itself, and the count decides its noise: it looks like chance, and comes out the same every time.
const EVALUATOR = `n=$(cat "$COUNTER" 2>/dev/null || echo 0)
echo $((n + 1)) > "$COUNTER"
echo "{\\"score\\": $((100000 + ((n * n * 7919 + n * 104729) % 2001 - 1000) * $1))}"
`

/** Candidates write a line that nothing reads: none of them changes what is measured. */
function configOf(command: string, more = ''): string {
  return `goal: Nothing to gain.
scope: { editable: ['notes.txt'] }
objectives: [{ metric: score, direction: maximize }]
evaluation:
  command: ${command}
  environment: [COUNTER]
  # The count lies outside the workspace, where isolated runs could not write it.
  isolation: none
  sampling: { min_pairs: 6, max_pairs: 10 }
search: { axes: [{ change: churn }], cells: 4, window: 1 }
agent: { use: command, command: { code: 'cksum >> notes.txt' } }
limits: { candidates: 4, parallel: 1 }
${more}`
}

interface Scene {
  readonly folder: string
  readonly cli: Cli
  countRuns(): number
}

function aScene(config: string): Scene {
  const counter = join(aFolder(), 'counter')
  const files = { '.loreley.yml': config, 'evaluate.sh': EVALUATOR, 'notes.txt': 'nothing\n' }
  return {
    folder: aRepository(files),
    cli: aCli({ COUNTER: counter }),
    countRuns: () => (existsSync(counter) ? Number(readFileSync(counter, 'utf8')) : 0),
  }
}

function stateOf(folder: string, path: string) {
  return JSON.parse(git(folder, 'show', `loreley/state:campaigns/default/${path}`))
}

describe('a campaign whose evaluator is noisy', () => {
  it(
    'takes no change without effect for a better one, and shows what it went by',
    async () => {
      const { folder, cli } = aScene(configOf('sh evaluate.sh 3'))
      const { exitCode, stdout } = await cli.run(folder, 'run', '--json')
      expect(exitCode).toBe(0)
      const lines = parseLines(stdout).filter(({ type }) => type === 'candidate')
      expect(lines.filter(({ kind }) => kind === 'candidate')).toHaveLength(4)
      expect(JSON.stringify(lines)).not.toContain('"improved"')
      expect(stateOf(folder, 'campaign.json').baseline).toMatchObject({ deterministic: false })
      const { stdout: shown } = await cli.run(folder, 'show', '1')
      expect(shown).toMatch(/score is between \S+ and \S+ \(confidence/)
      expect(shown).toMatch(/score: \d+ pairs, interleaved with the root/)
      expect(shown).toMatch(/it {2,}(\d+ +){5}/)
      expect(shown).toMatch(/the root {2,}(\d+ +){5}/)
      expect(shown).toMatch(/verdict +(Kept|Not kept): /)
      expect((await cli.run(folder, 'rebuild')).exitCode).toBe(0)
    },
    TIMEOUT_MS,
  )

  it(
    'stops before anything is spent when no gain could be told from the noise',
    async () => {
      const { folder, cli, countRuns } = aScene(configOf('sh evaluate.sh 60'))
      const { exitCode, stderr } = await cli.run(folder, 'run')
      expect(exitCode).toBe(1)
      expect(stderr).toContain('[evaluator-too-noisy]')
      expect(countRuns()).toBe(12)
      expect(stateOf(folder, 'campaign.json').status).toMatchObject({ phase: 'paused', reason: 'too-noisy' })
      const again = await cli.run(folder, 'run', '--candidates', '1', '--accept-noise')
      expect([again.exitCode, stateOf(folder, 'campaign.json').finished]).toEqual([0, 1])
    },
    TIMEOUT_MS,
  )
})

describe('a campaign whose evaluator is not noisy', () => {
  it(
    'measures the root three times and every candidate once',
    async () => {
      const { folder, cli, countRuns } = aScene(configOf('sh evaluate.sh 0'))
      expect((await cli.run(folder, 'run')).exitCode).toBe(0)
      expect(countRuns()).toBe(3 + 4)
    },
    TIMEOUT_MS,
  )
})

describe('a config that is edited under a campaign', () => {
  it(
    'begins an epoch when something else measures: elites are measured again, then it goes on',
    async () => {
      const { folder, cli } = aScene(configOf('sh evaluate.sh 0'))
      await cli.run(folder, 'run', '--candidates', '2')
      const before = stateOf(folder, 'campaign.json').evaluator
      writeFiles(folder, { '.loreley.yml': configOf('echo 7 && sh evaluate.sh 0 | tail -1') })
      const { exitCode, stderr, stdout } = await cli.run(folder, 'run', '--candidates', '3', '--json')
      expect({ exitCode, stderr }).toMatchObject({
        exitCode: 0,
        stderr: expect.stringContaining('epoch 2 starts'),
      })
      const lines = parseLines(stdout).filter(({ type }) => type === 'candidate')
      expect(lines[0]).toMatchObject({ kind: 'baseline', epoch: 2, parent: 0 })
      expect(lines.filter(({ kind }) => kind === 'candidate')).toHaveLength(1)
      expect(stateOf(folder, 'campaign.json')).toMatchObject({ epoch: 2, finished: 3 })
      expect(stateOf(folder, 'campaign.json').evaluator).not.toBe(before)
      expect((await cli.run(folder, 'rebuild')).exitCode).toBe(0)
    },
    TIMEOUT_MS,
  )

  it(
    'applies at once when the same measures, and is refused when another campaign would be needed',
    async () => {
      const { folder, cli, countRuns } = aScene(configOf('sh evaluate.sh 0'))
      await cli.run(folder, 'run', '--candidates', '1')
      writeFiles(folder, { '.loreley.yml': configOf('sh evaluate.sh 0', 'notes: Be brief.\n') })
      expect((await cli.run(folder, 'run', '--candidates', '2')).exitCode).toBe(0)
      expect([stateOf(folder, 'campaign.json').epoch, countRuns()]).toEqual([1, 5])
      writeFiles(folder, { '.loreley.yml': configOf('sh evaluate.sh 0').replace("['notes.txt']", "['**']") })
      const { exitCode, stderr } = await cli.run(folder, 'run')
      expect(exitCode).not.toBe(0)
      expect(stderr).toContain('[campaign-changed]')
    },
    TIMEOUT_MS,
  )
})
