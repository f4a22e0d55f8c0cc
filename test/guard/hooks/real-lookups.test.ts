import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createGuard } from '../../../src/guard/guard.ts'
import { aFolder } from '../../support/repository.ts'
import { aChange, someRules } from '../changes.ts'

interface Lookup {
  readonly what: string
  /** Its output is the evaluator's. */
  readonly command: string
  readonly root: Readonly<Record<string, string>>
  readonly evaluatorFiles: readonly string[]
  /** What a candidate adds: with it the output is its own. */
  readonly added: Readonly<Record<string, string>>
}

const C_MAIN = '#include <stdio.h>\n#include <time.h>\nint main(void) { puts(CLOCK); }\n'
const MINE = '#define CLOCK "candidate"\n'

const LOOKUPS: readonly Lookup[] = [
  {
    what: 'python prefers a package to a module',
    command: 'python3 -m bench',
    root: { 'bench.py': 'print("evaluator")' },
    evaluatorFiles: ['bench.py'],
    added: { 'bench/__init__.py': '', 'bench/__main__.py': 'print("candidate")' },
  },
  {
    what: 'python prefers a module to a folder without __init__.py',
    command: 'python3 -m bench',
    root: { 'bench/__main__.py': 'print("evaluator")' },
    evaluatorFiles: ['bench/__main__.py'],
    added: { 'bench.py': 'print("candidate")' },
  },
  {
    what: 'pytest loads plug-ins that package metadata in the working directory names',
    command: 'python3 -m pytest -q test_a.py >out 2>&1 && echo evaluator || echo candidate',
    root: { 'test_a.py': 'def test_a(): pass\n' },
    evaluatorFiles: ['test_a.py'],
    added: {
      'x-1.dist-info/METADATA': 'Metadata-Version: 2.1\nName: x\nVersion: 1\n',
      'x-1.dist-info/entry_points.txt': '[pytest11]\nx = x_plugin\n',
      'x_plugin.py': 'def pytest_collection_modifyitems(items): items.clear()\n',
    },
  },
  {
    what: 'node prefers a file without extension when it starts one',
    command: 'node bench/run',
    root: { 'bench/run.js': 'console.log("evaluator")' },
    evaluatorFiles: ['bench/run.js'],
    added: { 'bench/run': 'console.log("candidate")' },
  },
  {
    what: 'node prefers a file without extension when it requires one',
    command: `node -e 'console.log(require("./bench/cases"))'`,
    root: { 'bench/cases.js': 'module.exports = "evaluator"' },
    evaluatorFiles: ['bench/cases.js'],
    added: { 'bench/cases': 'module.exports = "candidate"' },
  },
  {
    what: 'node prefers a file to the index of a folder',
    command: `node -e 'console.log(require("./bench/cases"))'`,
    root: { 'bench/cases/index.js': 'module.exports = "evaluator"' },
    evaluatorFiles: ['bench'],
    added: { 'bench/cases.json': '"candidate"' },
  },
  {
    what: 'a compiler prefers an include path to the system headers',
    command: 'cc -Isrc -DCLOCK=\'"evaluator"\' -o main bench/main.c && ./main',
    root: { 'bench/main.c': C_MAIN, 'src/sum.c': '' },
    evaluatorFiles: ['bench/main.c'],
    added: { 'src/time.h': `#undef CLOCK\n${MINE}` },
  },
  {
    what: 'a compiler prefers the first include path',
    command: 'cc -Isrc -Ibench/include -o main bench/main.c && ./main',
    root: {
      'bench/main.c': '#include <stdio.h>\n#include "clock.h"\nint main(void) { puts(CLOCK); }\n',
      'bench/include/clock.h': '#define CLOCK "evaluator"\n',
      'src/sum.c': '',
    },
    evaluatorFiles: ['bench'],
    added: { 'src/clock.h': MINE },
  },
  {
    what: 'make obeys dependency files',
    command: 'make -s',
    root: { Makefile: 'all:\n\t@echo $(WHO)\nWHO = evaluator\n-include src/*.d\n' },
    evaluatorFiles: ['Makefile'],
    added: { 'src/sum.d': 'WHO = candidate\n' },
  },
  {
    what: 'perl prefers lib to its own modules',
    command: `perl -Ilib -e 'use Benchmark; print Benchmark->can("who") ? "candidate" : "evaluator"'`,
    root: { 'lib/Sum.pm': '1;' },
    evaluatorFiles: [],
    added: { 'lib/Benchmark.pm': 'package Benchmark; sub who {} 1;' },
  },
]

const TRIALS: Readonly<Record<string, string>> = {
  'python3 -m pytest': 'python3 -m pytest --version',
  python3: 'python3 --version',
  cc: 'cc --version',
  make: 'make --version',
  perl: 'perl --version',
}
const missing = Object.keys(TRIALS).filter((tool) => spawnSync('sh', ['-c', TRIALS[tool] ?? '']).status !== 0)

describe('lookups of real tools', () => {
  it.for(LOOKUPS.map((lookup) => [lookup.what, lookup] as const))(
    '%s, and the guard refuses that file',
    async ([, lookup], { skip }) => {
      if (missing.some((tool) => lookup.command.startsWith(tool))) skip('the tool is not installed')
      const folder = aFolder()
      write(folder, lookup.root)
      expect(run(folder, lookup.command)).toBe('evaluator')
      write(folder, lookup.added)
      expect(run(folder, lookup.command)).toBe('candidate')

      const rootPaths = Object.keys(lookup.root)
      const { evaluatorFiles, added } = lookup
      const guard = createGuard({
        ...someRules(),
        editable: ['**'],
        protected: [],
        evaluatorFiles,
        rootPaths,
      })
      const changes = Object.keys(added).map((path) => aChange(path))
      expect(await guard.check(changes, rootPaths)).toMatchObject({ status: 'blocked' })
    },
  )
})

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

function run(folder: string, command: string): string {
  return spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' }).stdout.trim()
}
