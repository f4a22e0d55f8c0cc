import { describe, expect, it } from 'vitest'
import { hasNamespaces, hasUserNamespaces } from '../process/enclosed-run.ts'
import { aCli } from '../support/cli.ts'
import { aRepository } from '../support/repository.ts'

const JUDGE_JS = `import { spawnSync } from 'node:child_process'
const { stdout } = spawnSync('loreley-candidate', ['node', 'src/sum.js'], { input: '[1, 2]', encoding: 'utf8' })
if (stdout !== '3\\n') throw new Error('wrong: ' + stdout)
console.log(1)
`
const JUDGE_PY = `import subprocess
said = subprocess.run(["loreley-candidate", "python3", "src/total.py"], input="[1, 2]", capture_output=True, text=True)
assert said.stdout == "3\\n", said.stderr
print(1)
`
const SUM_JS = `import { readFileSync } from 'node:fs'
console.log(JSON.parse(readFileSync(0, 'utf8')).reduce((total, each) => total + each, 0))
`

/** A repository whose candidates may change `src`, measured by this command. */
function repository(command: string, files: Readonly<Record<string, string>>): string {
  const config = {
    goal: 'Add.',
    scope: { editable: ['src/**'] },
    objectives: [{ metric: 'score', direction: 'maximize' }],
    evaluation: { command, baseline_runs: 2 },
  }
  return aRepository({
    '.loreley.yml': JSON.stringify(config),
    'src/sum.js': SUM_JS,
    'src/module.js': 'export const one = 1\n',
    'src/total.py':
      'import json, sys\nif __name__ == "__main__":\n    print(sum(json.load(sys.stdin)))\nONE = 1\n',
    'package.json': '{ "type": "module" }',
    ...files,
  })
}

async function validate(folder: string, ...options: string[]) {
  const { stdout, exitCode } = await aCli().run(folder, 'validate', ...options)
  return { exitCode, warnings: stdout.split('\n').filter((line) => line.startsWith('Warning')) }
}

const TRUSTED_JS = 'node "$LORELEY_TRUSTED/bench.mjs"'
const TRUSTED_PY = 'python3 "$LORELEY_TRUSTED/bench.py"'

describe('validate reads the evaluator', () => {
  it.each([
    [
      'JavaScript',
      TRUSTED_JS,
      { 'bench.mjs': "\nconst { one } = await import(process.cwd() + '/src/module.js')\n" },
      'bench.mjs:2 loads src/module.js',
    ],
    [
      'Python',
      TRUSTED_PY,
      { 'bench.py': 'import sys\nsys.path.insert(0, "src")\nimport total\n' },
      'bench.py:3 loads src/total.py',
    ],
    [
      'a child of JavaScript',
      TRUSTED_JS,
      { 'bench.mjs': JUDGE_JS.replace("'loreley-candidate', ['node', ", "'node', [") },
      'bench.mjs:2 starts src/sum.js',
    ],
    [
      'a child of Python',
      TRUSTED_PY,
      { 'bench.py': JUDGE_PY.replace('"loreley-candidate", ', '') },
      'bench.py:2 starts src/total.py',
    ],
  ])('validate warns about %s, with file, line and consequence', async (_, command, files, found) => {
    const { exitCode, warnings } = await validate(repository(command, files))
    expect(warnings).toEqual([
      expect.stringMatching(`^Warning: default: ${found}.*evaluator's.*loreley-candidate`),
    ])
    expect(exitCode).toBe(0)
  })

  it("validate warns about an evaluator that measures the root's copy", async () => {
    const files = { 'bench.mjs': "import { one } from './src/module.js'\nconsole.log(one)\n" }
    expect((await validate(repository(TRUSTED_JS, files))).warnings).toEqual([
      expect.stringContaining(
        "bench.mjs:1 uses src/module.js beside itself in $LORELEY_TRUSTED. That is the root's copy",
      ),
    ])
  })
})

describe.runIf(hasNamespaces || hasUserNamespaces)('validate --measure tries the evaluator', () => {
  it.each([
    ['JavaScript', TRUSTED_JS, { 'bench.mjs': JUDGE_JS }],
    ['Python', TRUSTED_PY, { 'bench.py': JUDGE_PY }],
  ])('an evaluator in %s that uses loreley-candidate is not warned about', async (_, command, files) => {
    expect(await validate(repository(command, files), '--measure')).toEqual({ exitCode: 0, warnings: [] })
  })

  // The path is not in the source: only a run can tell.
  it.each([
    [
      'JavaScript',
      `${TRUSTED_JS} s*/module.js`,
      {
        'bench.mjs':
          "const { one } = await import(process.cwd() + '/' + process.argv[2])\nconsole.log(one)\n",
      },
    ],
    [
      'Python',
      `${TRUSTED_PY} s*/total.py`,
      { 'bench.py': 'import runpy, sys\nprint(runpy.run_path(sys.argv[1])["ONE"])\n' },
    ],
  ])('an evaluator in %s that loads a file by its argument is warned about', async (_, command, files) => {
    const folder = repository(command, files)
    expect((await validate(folder)).warnings).toEqual([])
    const { exitCode, warnings } = await validate(folder, '--measure')
    expect(warnings).toEqual([
      expect.stringContaining(
        'fails when only loreley-candidate can read the files that candidates may change',
      ),
    ])
    expect(exitCode).toBe(0)
  })
})
