import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../../src/config/file/parse.ts'
import { type Exposure, findExposures } from '../../../src/pipeline/exposure/find-exposures.ts'

/** What is found in a repository whose candidates may change `src`. */
async function find(files: Readonly<Record<string, string>>, command: string): Promise<string[]> {
  const settings = {
    goal: 'x',
    scope: { editable: ['src/**'] },
    objectives: [{ metric: 'm', direction: 'minimize' }],
    evaluation: { command },
  }
  const [config] = parseConfig(JSON.stringify(settings), '.loreley.yml').campaigns.values()
  if (config === undefined) throw new Error('no campaign')
  const found = await findExposures(config.evaluation, {
    files: Object.keys(files),
    read: async (path) => files[path] ?? '',
    isEditable: (path) => path.startsWith('src/'),
  })
  return found.map(({ file, line, kind, target }: Exposure) => `${file}:${line} ${kind} ${target}`)
}

const SRC = {
  'src/sum.js': '',
  'src/sum.py': '',
  'src/pkg/__init__.py': '',
  'src/pkg/core.py': '',
  'src/data.json': '',
}

describe('an evaluator in JavaScript', () => {
  it.each([
    ['import', "import { sum } from './src/sum.js'", 'loads'],
    ['an import for its effects', "import './src/sum.js'", 'loads'],
    ['a re-export', "export * from './src/sum.js'", 'loads'],
    ['require', "const { sum } = require('./src/sum')", 'loads'],
    ['import()', "await import(process.cwd() + '/src/sum.js')", 'loads'],
    [
      'import() of joined names',
      "await import(pathToFileURL(join(process.cwd(), 'src', 'sum.js')).href)",
      'loads',
    ],
    [
      'import() of a variable',
      "const at = join(process.cwd(), 'src/sum.js'); await import(pathToFileURL(at))",
      'loads',
    ],
    ['import() of a template', `await import(\`\${here}/src/sum.js\`)`, 'loads'],
    ['eval', "eval(readFileSync('src/sum.js', 'utf8'))", 'loads'],
    ['vm', "vm.runInThisContext(readFileSync('src/sum.js', 'utf8'))", 'loads'],
    ['a worker', "new Worker('./src/sum.js')", 'loads'],
    ['spawn', "spawnSync(process.execPath, ['src/sum.js'])", 'starts'],
    ['a member of child_process', "childProcess.execFile('node', ['src/sum.js'])", 'starts'],
    ['a shell line', "execSync('node src/sum.js < input.json')", 'starts'],
    ['fork', "fork('src/sum.js')", 'starts'],
  ])('an evaluator is warned about %s', async (_, line, kind) => {
    expect(await find({ ...SRC, 'bench.mjs': `// the bench\n${line}\n` }, 'node bench.mjs')).toEqual([
      `bench.mjs:2 ${kind} src/sum.js`,
    ])
  })

  it('names the folder where only a part of the path is written', async () => {
    const files = { ...SRC, 'bench.mjs': "await import('./src/' + process.argv[2])" }
    expect(await find(files, 'node bench.mjs')).toEqual(['bench.mjs:1 loads src'])
  })

  it("follows the evaluator's own files", async () => {
    const files = {
      ...SRC,
      'bench/run.ts': "import { load } from './lib/load.js'\n",
      'bench/lib/load.ts': "export const load = () =>\n  import('../../src/sum.js')\n",
    }
    expect(await find(files, 'npx tsx bench/run.ts')).toEqual(['bench/lib/load.ts:2 loads src/sum.js'])
  })

  it("tells where every candidate would be measured with the root's code", async () => {
    const files = { ...SRC, 'bench.mjs': "import { sum } from './src/sum.js'" }
    expect(await find(files, 'node "$LORELEY_TRUSTED/bench.mjs"')).toEqual([
      'bench.mjs:1 root-copy src/sum.js',
    ])
  })

  it.each([
    ['loreley-candidate', "spawnSync('loreley-candidate', ['node', 'src/sum.js'])"],
    ['loreley-candidate in a shell line', "execSync('loreley-candidate node src/sum.js')"],
    [
      'loreley-candidate in a variable',
      "const first = 'loreley-candidate'; spawn(first, ['node', 'src/sum.js'])",
    ],
    ['types', "import type { Sum } from './src/sum.js'"],
    ['a comment', "// import './src/sum.js'"],
    ['a string', "console.log('import ./src/sum.js')"],
    ['reading a file', "const bytes = readFileSync('src/sum.js').length"],
    ['data', "const data = require('./src/data.json')"],
    ['a package', "import { sum } from 'src'; await import('src')"],
    ['code that names a folder', "new Function('return src')"],
    ['a folder of another program', "spawnSync('du', ['src'])"],
  ])('an evaluator is not warned about %s', async (_, line) => {
    expect(await find({ ...SRC, 'bench.mts': line }, 'node bench.mts')).toEqual([])
  })

  it('the examples are not warned about', async () => {
    const { readFileSync, readdirSync } = await import('node:fs')
    for (const name of ['circle-packing', 'word-count']) {
      const folder = new URL(`../../../examples/${name}/`, import.meta.url)
      const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile()
          ? (`${entry.parentPath}/${entry.name}`.split(`examples/${name}/`)[1]?.replace(/^\/+/, '') ?? [])
          : [],
      )
      const files = Object.fromEntries(
        paths.map((path) => [path, readFileSync(new URL(path, folder), 'utf8')]),
      )
      expect(paths).toContain('evaluate.mjs')
      expect(await find(files, 'node "$LORELEY_TRUSTED/evaluate.mjs"')).toEqual([])
    }
  })
})

describe('an evaluator in Python', () => {
  it.each([
    ['import', 'import sys; sys.path.insert(0, "src"); import sum', 'loads src/sum.py'],
    ['from', 'from src.sum import total', 'loads src/sum.py'],
    ['an import of a package', 'from pkg import core', 'loads src/pkg/__init__.py'],
    ['an import inside a function', 'def run():\n    import pkg.core as core', 'loads src/pkg/__init__.py'],
    ['importlib', 'importlib.import_module("pkg.core")', 'loads src/pkg/__init__.py'],
    ['runpy', 'runpy.run_path("src/sum.py")', 'loads src/sum.py'],
    ['exec', 'exec(open("src/sum.py").read())', 'loads src/sum.py'],
    ['a spec', 'importlib.util.spec_from_file_location("s", "src/sum.py")', 'loads src/sum.py'],
    ['subprocess', 'subprocess.run([sys.executable, "src/sum.py"])', 'starts src/sum.py'],
    ['subprocess with -m', 'subprocess.run(["python3", "-m", "pkg.core"])', 'starts src/pkg/__init__.py'],
    ['os.system', 'os.system("python3 src/sum.py < input")', 'starts src/sum.py'],
    [
      'a variable',
      'target = "src/sum.py"\nsubprocess.check_output(["python3", target])',
      'starts src/sum.py',
    ],
  ])('an evaluator is warned about %s', async (_, line, found) => {
    const all = await find({ ...SRC, 'bench.py': line }, 'python3 bench.py')
    expect(all.map((each) => each.replace(/^bench\.py:\d+ /, ''))).toEqual([found])
  })

  it("follows the evaluator's own modules", async () => {
    const files = {
      ...SRC,
      'bench/run.py': 'from helper import load\n',
      'bench/helper.py': '\nfrom src import sum\n',
    }
    expect(await find(files, 'python3 bench/run.py')).toEqual(['bench/helper.py:2 loads src/sum.py'])
  })

  it.each([
    ['loreley-candidate', 'subprocess.run(["loreley-candidate", "python3", "src/sum.py"])'],
    ['the standard library', 'import json\nfrom os import path'],
    ['a comment', '# import sum\n"""\nfrom src import sum\n"""'],
    ['reading a file', 'size = len(open("src/sum.py").read())'],
  ])('an evaluator is not warned about %s', async (_, line) => {
    expect(await find({ ...SRC, 'bench.py': line }, 'python3 bench.py')).toEqual([])
  })
})
