import { describe, expect, it } from 'vitest'
import { type Detected, detectProject } from '../../src/config/detect/detect.ts'
import { LANGUAGES } from '../../src/config/detect/project.ts'
import { renderStarterConfig } from '../../src/config/detect/starter.ts'
import { parseConfig } from '../../src/config/file/parse.ts'

type Files = Readonly<Record<string, string>>

const detect = (files: Files) => detectProject(Object.keys(files), async (path) => files[path])
const manifest = (value: object) => JSON.stringify({ devDependencies: { vitest: '4' }, ...value })

const NPM = { 'package.json': manifest({ scripts: { test: 'vitest', bench: 'node b.mjs' } }), 'src/a.ts': '' }
const PYTEST = {
  'app/__init__.py': '',
  'tests/test_app.py': '',
  'pyproject.toml': '[tool.pytest.ini_options]',
}

const PROJECTS: readonly (readonly [string, Files, Partial<Detected>])[] = [
  [
    'TypeScript with npm',
    { ...NPM, 'package-lock.json': '{}' },
    {
      language: 'typescript',
      packageManager: 'npm',
      setup: 'npm ci',
      test: 'npm test',
      benchmark: 'npm run --silent bench',
      editable: ['src/**'],
    },
  ],
  ['npm without a lockfile', NPM, { setup: 'npm install' }],
  [
    'pnpm',
    { ...NPM, 'pnpm-lock.yaml': '' },
    { setup: 'pnpm install --frozen-lockfile', test: 'pnpm test', benchmark: 'pnpm run --silent bench' },
  ],
  [
    'yarn',
    { ...NPM, 'yarn.lock': '__metadata:' },
    { setup: 'yarn install --immutable', benchmark: 'yarn run bench' },
  ],
  ['yarn 1', { ...NPM, 'yarn.lock': '# yarn lockfile v1' }, { setup: 'yarn install --frozen-lockfile' }],
  ['bun', { ...NPM, 'bun.lock': '' }, { setup: 'bun install --frozen-lockfile', test: 'bun run test' }],
  [
    'a declared manager',
    { ...NPM, 'package.json': manifest({ packageManager: 'pnpm@10.1.0' }) },
    { setup: 'pnpm install', test: undefined },
  ],
  [
    'JavaScript without dependencies',
    {
      'package.json': '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}',
      'lib/a.js': '',
      'bench.mjs': '',
    },
    {
      language: 'javascript',
      setup: undefined,
      test: undefined,
      benchmark: 'node bench.mjs',
      editable: ['lib/**'],
    },
  ],
  [
    'JavaScript with a broken manifest',
    { 'package.json': '{', 'a.js': '', 'a.test.js': '' },
    { test: 'node --test', editable: ['**/*.js'] },
  ],
  [
    'Python with uv',
    { ...PYTEST, 'uv.lock': '' },
    {
      language: 'python',
      setup: 'uv sync --frozen --no-install-project',
      test: '.venv/bin/python -m pytest -q',
      editable: ['app/**'],
    },
  ],
  ['Python with poetry', { ...PYTEST, 'poetry.lock': '' }, { packageManager: 'poetry' }],
  [
    'Python with requirements',
    { 'src/pkg/__init__.py': '', 'test_a.py': '', 'requirements.txt': 'numpy', 'benchmarks/run.py': '' },
    {
      setup: 'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt',
      test: 'PYTHONPATH=src .venv/bin/python -m unittest discover',
      benchmark: 'PYTHONPATH=src .venv/bin/python benchmarks/run.py',
      editable: ['src/**'],
    },
  ],
  ['Python scripts', { 'a.py': '' }, { test: undefined, editable: ['**/*.py'] }],
  [
    'Go',
    { 'go.mod': '', 'go.sum': '', 'internal/a.go': '', 'internal/a_test.go': '' },
    { language: 'go', setup: 'go mod download', test: 'go test ./...', editable: ['internal/**'] },
  ],
  [
    'Rust',
    { 'Cargo.toml': '', 'Cargo.lock': '', 'src/lib.rs': '' },
    { language: 'rust', setup: 'cargo fetch --locked' },
  ],
  [
    'Java with Maven',
    { 'pom.xml': '', mvnw: '', 'src/main/java/A.java': '', 'src/test/java/T.java': '' },
    { language: 'java', packageManager: 'maven', test: './mvnw -B -q -o test', editable: ['src/main/**'] },
  ],
  [
    'Kotlin with Gradle',
    { 'build.gradle.kts': '', 'src/main/kotlin/A.kt': '', 'src/test/kotlin/T.kt': '' },
    { language: 'kotlin', packageManager: 'gradle', test: 'gradle --no-daemon -q test' },
  ],
  [
    'Ruby',
    { Gemfile: '', 'lib/a.rb': '', 'spec/a_spec.rb': '' },
    { language: 'ruby', test: 'bundle exec rspec' },
  ],
  [
    'PHP',
    { 'composer.json': '', 'phpunit.xml': '', 'src/A.php': '' },
    { language: 'php', test: 'vendor/bin/phpunit' },
  ],
  [
    'C with make',
    { Makefile: 'all:\n\ncheck: all\n\nbench:\n', 'src/a.c': '' },
    { language: 'c', test: 'make check', benchmark: 'make -s bench' },
  ],
  [
    'C++ with CMake',
    { 'CMakeLists.txt': 'enable_testing()', 'src/a.cpp': '', 'include/a.hpp': '' },
    { language: 'c++', packageManager: 'cmake', editable: ['src/**', 'include/**'] },
  ],
  [
    'C#',
    { 'a.sln': '', 'src/A.cs': '', 'tests/A.Tests.csproj': '' },
    { language: 'c#', setup: 'dotnet restore', test: 'dotnet test' },
  ],
  [
    'shell',
    { 'bin/run.sh': '', 'test/run.bats': '' },
    { language: 'shell', test: 'bats test', editable: ['bin/**'] },
  ],
  ['nothing known', { 'README.md': '' }, { language: 'unknown', editable: ['src/**'] }],
  [
    'code that was copied in',
    { 'node_modules/a.js': '', 'vendor/b.js': '', 'main.go': '' },
    { language: 'go' },
  ],
]

describe('detectProject', () => {
  it.each(PROJECTS)('recognises %s', async (_name, files, expected) => {
    expect(await detect(files)).toMatchObject(expected)
  })

  it('keeps candidates off the benchmark, wherever the sources are', async () => {
    const files = { 'index.js': '', 'lib.js': '', 'bench/run.js': '', 'bench/in.json': '', 'bench.mjs': '' }
    const found = await detect(files)
    expect(found.editable).toContain('**/*.js')
    expect(found.protected).toEqual(expect.arrayContaining(['bench/**', 'bench.mjs']))
    expect(parseConfig(renderStarterConfig(found), '.loreley.yml').campaigns.size).toBe(1)
  })

  it('this test has a project for every language', async () => {
    const seen = await Promise.all(PROJECTS.map(async ([, files]) => (await detect(files)).language))
    expect(new Set(seen)).toEqual(new Set([...LANGUAGES, 'unknown']))
  })
})

describe('renderStarterConfig', () => {
  it.each(PROJECTS)('the starter config is valid for %s', async (_name, files) => {
    const detected = await detect(files)
    const text = renderStarterConfig(detected)
    const campaign = parseConfig(text, '.loreley.yml').campaigns.get('default')
    expect(text).toMatch(/^# yaml-language-server: \$schema=\S+loreley\.schema\.json\n/)
    expect(campaign?.scope).toMatchObject({ editable: detected.editable, protected: detected.protected })
    expect(campaign?.evaluation.setup).toBe(detected.setup)
    expect(campaign?.evaluation.gates.map(({ command }) => command)).toEqual(
      detected.test === undefined ? [] : [detected.test],
    )
  })

  it('the starter config shows where to put the measuring command and the metric', async () => {
    const text = renderStarterConfig(await detect({ 'a.py': '' }))
    expect(text).toContain('PUT YOUR MEASURING COMMAND HERE')
    expect(text).toContain('PUT THE NAME OF YOUR METRIC HERE')
  })

  it('the starter config starts candidate code with loreley-candidate', async () => {
    const text = renderStarterConfig(await detect({ 'a.py': '' }))
    expect(text).toContain('loreley-candidate node src/main.js < input.json')
  })
})
