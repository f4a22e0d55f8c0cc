import { describe, expect, it } from 'vitest'
import { createGuard } from '../../../src/guard/guard.ts'
import { RESOLUTIONS } from '../../../src/guard/hooks/shadow-names.ts'
import { STAND_INS } from '../../../src/guard/hooks/stand-ins.ts'
import { aChange, anEdit, someRules } from '../changes.ts'

const open = { ...someRules(), editable: ['**'], protected: [], allowManifests: true }

interface Shadows {
  readonly evaluator: string
  readonly taken: string
  readonly free: string
}

const SHADOWS: Readonly<Record<string, readonly Shadows[]>> = {
  Node: [
    {
      evaluator: 'bench/cases.js bench/run.mjs',
      taken:
        'bench/cases bench/cases.ts bench/cases.json bench/cases.node bench/cases/index.js bench/cases/package.json bench/run bench/run.cjs BENCH/Cases',
      free: 'bench/case.js bench/cases/more.js cases.js bench/cases.md bench/cases.d.ts',
    },
    {
      evaluator: 'bench/cases/index.js',
      taken: 'bench/cases.js bench/cases bench/cases.mjs bench/cases/package.json bench/cases/index.cjs',
      free: 'bench.js bench/index.js bench/package.json',
    },
  ],
  Python: [
    {
      evaluator: 'bench.py',
      taken:
        'bench/__init__.py bench/__init__.pyc bench.so bench.cpython-313-x86_64-linux-gnu.so bench.abi3.so bench/__init__.so',
      free: 'bench/data.json bench/cases.py src/bench.py',
    },
    // Without bench/__init__.py the folder is found last, and with it that file runs first.
    {
      evaluator: 'bench/run.py bench/__main__.py',
      taken: 'bench.py bench/__init__.py bench/run/__init__.py bench.abi3.so',
      free: 'run.py bench/test_run.py',
    },
    { evaluator: 'src/bench/run.py', taken: 'src/bench.py src/__init__.py', free: 'bench.py' },
  ],
  'C and C++': [
    { evaluator: 'bench/cases.h', taken: 'src/cases.h include/x/Cases.h', free: 'src/cases.c src/case.h' },
  ],
}

describe('names that a language resolves to the evaluator', () => {
  it('every row of the table has examples', () => {
    expect(Object.keys(SHADOWS)).toEqual(RESOLUTIONS.map(({ language }) => language))
  })

  const table = Object.entries(SHADOWS).flatMap(([language, rows]) =>
    rows.map((row) => [language, row.evaluator, row] as const),
  )
  it.each(table)('%s would take a new file in place of %s', async (_, evaluator, { taken, free }) => {
    const guard = createGuard({ ...open, evaluatorFiles: evaluator.split(' ') })
    // The control: without that evaluator, nothing is wrong with the name. Native modules are build products.
    const control = createGuard({ ...open, evaluatorFiles: [] })
    for (const path of taken.split(' ')) {
      expect([path, await guard.check([aChange(path)], [])]).toMatchObject([path, { reason: 'tool-hook' }])
      if (!/\.(so|node|pyc)$/.test(path))
        expect([path, await control.check([aChange(path)], [])]).toEqual([path, { status: 'clean' }])
    }
    for (const path of free.split(' '))
      expect([path, await guard.check([aChange(path)], [])]).toEqual([path, { status: 'clean' }])
  })

  it('a file of the root that answers to the same name may be edited', async () => {
    const guard = createGuard({ ...open, evaluatorFiles: ['bench/cases.js', 'bench.py'] })
    for (const path of ['bench/cases.ts', 'bench/__init__.py'])
      expect(await guard.check([anEdit(path)], [])).toEqual({ status: 'clean' })
  })

  it('a folder or a glob stands for the files that it holds', async () => {
    const rootPaths = ['bench/cases/index.js', 'bench/run.py', 'src/a.js']
    for (const evaluatorFiles of [['bench'], ['bench/**/*.{js,py}']]) {
      const guard = createGuard({ ...open, evaluatorFiles, rootPaths })
      expect(await guard.check([aChange('bench.py')], rootPaths)).toMatchObject({ reason: 'tool-hook' })
      expect(await guard.check([aChange('src/a.ts')], rootPaths)).toEqual({ status: 'clean' })
    }
  })
})

const STANDING_IN: Readonly<Record<string, readonly [taken: string, free: string]>> = {
  C: ['src/time.h time.h src/include/sys/time.h src/pthread.h', 'src/timer.h src/systime.h'],
  'C++': ['src/chrono include/vector', 'src/chrono.cpp src/vector/a.cpp'],
  'C and C++ measuring': ['src/benchmark/benchmark.h include/gtest/gtest.h src/catch.hpp', 'src/benchmark.h'],
  Ruby: ['lib/json.rb set.rb gems/x/lib/benchmark.rb test/minitest.rb', 'lib/mygem/json.rb lib/mygem.rb'],
  Perl: ['lib/Test/More.pm lib/Time/HiRes.pm strict.pm', 'lib/My/Test.pm'],
  Lua: ['busted.lua src/luaunit.lua', 'src/mine/luaunit_helper.lua'],
  JVM: [
    'src/main/java/org/junit/Assert.java src/test/kotlin/org/openjdk/jmh/X.kt src/main/java/junit/framework/TestCase.java',
    'src/main/java/org/example/junit/X.java',
  ],
  Rust: ['benches/fast.rs crates/a/benches/x/main.rs', 'src/benches.rs src/fast.rs'],
}

describe('names that belong to a language', () => {
  it('every row of the table has examples', () => {
    expect(Object.keys(STANDING_IN)).toEqual(STAND_INS.map(({ language }) => language))
  })

  it.each(Object.entries(STANDING_IN))('blocks new files that stand in for: %s', async (_, [taken, free]) => {
    const guard = createGuard({ ...open, rootPaths: ['src/sum.c'] })
    for (const path of taken.split(' ')) {
      expect([path, await guard.check([aChange(path)], [])]).toMatchObject([path, { reason: 'tool-hook' }])
      // One that is there is a part of the project.
      expect(await guard.check([anEdit(path)], [])).toEqual({ status: 'clean' })
      expect([guard.isEditable(path), guard.isEditable(path, true)]).toEqual([true, false])
    }
    for (const path of free.split(' '))
      expect([path, await guard.check([aChange(path)], [])]).toEqual([path, { status: 'clean' }])
  })

  it('names of C headers are free in projects without C', async () => {
    const guard = createGuard({ ...open, rootPaths: ['src/sum.js'] })
    for (const path of ['src/new', 'src/list', 'src/time.h'])
      expect(await guard.check([aChange(path)], [])).toEqual({ status: 'clean' })
  })

  it('blocks native and packaged forms of Python modules', async () => {
    const guard = createGuard(open)
    for (const path of [
      'json.abi3.so',
      'src/random/__init__.py',
      'sitecustomize.so',
      'lib/usercustomize.pyc',
    ])
      expect([path, await guard.check([aChange(path)], [])]).toMatchObject([path, { reason: 'tool-hook' }])
  })

  it('blocks dependency files of make, except in projects written in D', async () => {
    const verdict = async (rootPaths: string[]) =>
      await createGuard({ ...open, rootPaths }).check([aChange('src/sum.d')], rootPaths)
    expect(await verdict(['src/sum.c', 'Makefile'])).toMatchObject({ reason: 'tool-hook' })
    expect(await verdict(['source/app.d', 'Makefile'])).toEqual({ status: 'clean' })
  })
})
