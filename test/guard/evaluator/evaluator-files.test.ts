import { describe, expect, it } from 'vitest'
import type { EvaluationConfig } from '../../../src/config/campaign-config.ts'
import { findEvaluatorFiles } from '../../../src/guard/evaluator/evaluator-files.ts'
import { anEvaluation } from '../../support/workbench.ts'

const SCRIPTS = {
  bench: 'npm run build && node bench/run.js',
  build: 'tsc -p . && esbuild src/a.js',
  prebench: 'sh tools/run.sh',
  measure: 'run-s bench',
  loop: 'npm run loop',
}
const MAKEFILE = `
.PHONY: bench
all: src/a.js
\tcc -o a src/a.js
bench: all
\t@node bench/run.js a \
\t  --quick
`
const FILES: Readonly<Record<string, string>> = {
  'bench.mjs': '',
  'bench/run.js': '',
  'bench/inputs.json': '',
  'tools/run.sh': '',
  'tools/index.js': '',
  'my files/run it.sh': '',
  'package.json': JSON.stringify({ scripts: SCRIPTS }),
  'src/a.js': '',
  'src/bench/run.py': '',
  'src/bench/__init__.py': '',
  'perf/Makefile': 'all:\n\tnode run.mjs\n',
  'perf/run.mjs': '',
  Makefile: MAKEFILE,
  'pyproject.toml': '',
  'conftest.py': '',
  'tests/test_a.py': '',
  'eval/run.ts': '',
  'eval/run.jsx': '',
  'tools/suite/index.mts': '',
  'evals/run.py': `import os, timing
from evals import (
  late,  # the first
  b,
)
from src.bench.run import c
from solution import solve
  from .inputs.cases import CASES as cases
import numpy`,
  'evals/timing.py': 'from . import clock\nimport timing',
  'evals/clock.py': '',
  'evals/late.py': '',
  'evals/other.py': '',
  'evals/inputs/__init__.py': '',
  'evals/inputs/cases.py': '',
  'solution.py': '',
  'solve.py': 'import solution\nfrom evals import late',
}

async function find(changes: Partial<EvaluationConfig>): Promise<string[]> {
  const files = Object.keys(FILES).map((path) => ({ path, blob: path }))
  return await findEvaluatorFiles(anEvaluation(changes), files, async (blob) => FILES[blob] ?? '')
}

const MAKEFILES = ['GNUmakefile', 'Makefile', 'makefile']
const PYTEST = ['conftest.py', 'noxfile.py', 'pyproject.toml', 'pytest.ini', 'setup.cfg', 'tox.ini']

describe('findEvaluatorFiles', () => {
  it.each<[command: string, files: string[]]>([
    ['node bench.mjs --n 3', ['bench.mjs']],
    ['sh "$LORELEY_TRUSTED/tools/run.sh" && node ./bench.mjs', ['bench.mjs', 'tools/run.sh']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell variable
    ["node '${LORELEY_TRUSTED}/bench.mjs'|tail -1", ['bench.mjs']],
    ['node "$LORELEY_TRUSTED"/bench.mjs', ['bench.mjs']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell variable
    ['node ${LORELEY_TRUSTED:-.}/bench.mjs', ['bench.mjs']],
    ['node $PWD/bench.mjs', ['bench.mjs']],
    ['node "$(pwd)/bench.mjs"', ['bench.mjs']],
    ['node ./bench//run.js', ['bench/run.js']],
    ['node tools/../bench.mjs', ['bench.mjs']],
    ['sh "my files/run it.sh"', ['my files/run it.sh']],
    ['bash -c "node bench.mjs; true"', ['bench.mjs']],
    ['node --import=./tools/run.sh x', ['tools/run.sh']],
    // Folders: one that measures counts whole, of another only what an interpreter starts in it.
    ['hyperfine bench/', ['bench']],
    ['node tools', ['tools/index.js']],
    ['eslint src', []],
    ['node --test bench/*.js', ['bench/*.js']],
    ['pytest tests', [...PYTEST, 'tests']],
    ['cd src && python -m bench.run', ['src/bench/__init__.py', 'src/bench/run.py']],
    ['PYTHONPATH=src python3 -m bench.run', ['src/bench/__init__.py', 'src/bench/run.py']],
    // Scripts and targets: what they start counts, what they compile does not.
    ['npm run --silent bench', ['bench', 'bench/run.js', 'package.json', 'tools/run.sh']],
    ['pnpm measure', ['bench', 'bench/run.js', 'package.json', 'tools/run.sh']],
    ['npm run loop', ['package.json']],
    ['CONFIG=tools/run.sh npm run build', ['package.json', 'tools/run.sh']],
    // A new file of another name would be read instead: make prefers GNUmakefile.
    ['make -s bench', [...MAKEFILES, 'bench', 'bench/run.js']],
    ['make', MAKEFILES],
    ['python -m pytest', PYTEST],
    ['make -C perf all', [...MAKEFILES, 'perf', ...MAKEFILES.map((name) => `perf/${name}`), 'perf/run.mjs']],
    ['cd perf/ && node run.mjs', ['perf', 'perf/run.mjs']],
    ['tsx eval/run', ['eval/run.jsx', 'eval/run.ts']],
    ['npx ts-node tools/suite', ['package.json', 'tools/suite/index.mts']],
    // With the modules beside it that it imports, of a folder that measures.
    [
      'python evals/run.py',
      ['run', 'timing', 'clock', 'late', 'inputs/__init__', 'inputs/cases'].map((name) => `evals/${name}.py`),
    ],
    ['python solve.py', ['solve.py']],
    ['cargo build', []],
    ['node other.mjs', []],
    ['node ../bench.mjs', []],
    ['./tools/run.sh>out', ['tools/run.sh']],
  ])('finds the tracked files behind: %s', async (command, files) => {
    expect(await find({ command })).toEqual([...files].sort())
  })

  it('looks at the gates too, unless the config lists files', async () => {
    const gates = [{ name: 'g', command: 'sh tools/run.sh', timeoutSeconds: 1 }]
    expect(await find({ command: 'true', gates })).toEqual(['tools/run.sh'])
    expect(await find({ command: 'node bench.mjs', gates, files: ['x/**'] })).toEqual(['bench.mjs', 'x/**'])
  })

  it('takes the held-out paths in whatever the config lists', async () => {
    const heldOut = { command: 'node bench.mjs', timeoutSeconds: 1, paths: ['unseen'] }
    expect(await find({ command: 'true', files: ['x/**'], heldOut })).toEqual(['bench.mjs', 'unseen', 'x/**'])
  })
})
