import { describe, expect, it } from 'vitest'
import { createGuard } from '../../../src/guard/guard.ts'
import { aChange, anEdit, someRules } from '../changes.ts'

// Even where a maintainer opened everything.
const guard = createGuard({ ...someRules(), editable: ['**'], protected: [], allowManifests: true })

const UNASKED = `
  sitecustomize.py lib/usercustomize.py sitecustomize/__init__.py conftest.py tests/conftest.py evil.pth
  pytest.ini .pytest.toml tox.ini mypy.ini .coveragerc noxfile.py nose2.cfg .pdbrc pyrightconfig.json
  .npmrc .yarnrc.yml .pnpmfile.cjs .pnp.cjs .pnp.loader.mjs bunfig.toml node.config.json tsconfig.json
  tsconfig.build.json jsconfig.json src/TSConfig.json .babelrc babel.config.cjs .swcrc .mocharc.cjs test/mocha.opts
  .nycrc .c8rc.json vitest.config.mts vitest.workspace.ts vite.config.js jest.config.ts jest.setup.js ava.config.js
  postcss.config.js .postcssrc.cjs eslint.config.mjs .eslintrc.js playwright.config.ts cucumber.js spec/support/jasmine.json
  .env .env.test .envrc .bashrc .zshenv .rspec .irbrc .pryrc .user.ini phpunit.xml.dist .proverc .Rprofile .Renviron
  .ghci .iex.exs .gdbinit .jvmopts .bazelrc ci.runsettings xunit.runner.json junit-platform.properties
  src/META-INF/services/org.junit.platform.launcher.TestExecutionListener Directory.Build.rsp runtimeconfig.template.json
  .config/nextest.toml clippy.toml .cargo/config.toml .cargo/config .mvn/jvm.config LocalPreferences.toml
  .python-version .node-version .nvmrc .ruby-version .tool-versions mise.toml .mise.local.toml
  node_modules/x/index.js src/NODE_MODULES/x.js __mocks__/fs.js vendor/modules.txt .venv/bin/python __pycache__/a.pyc
  venv/lib/x.py .bin/node .yarn/releases/yarn.cjs
  ruff.toml .ruff.toml .flake8 .pylintrc pylintrc .golangci.yml .golangci.yaml .golangci.toml .golangci.json .rubocop.yml
  .rubocop_todo.yml biome.json packages/a/biome.jsonc .oxlintrc.json .prettierrc .prettierrc.cjs prettier.config.mjs
  .prettierignore .stylelintrc .stylelintrc.json .eslintignore tslint.json phpstan.neon phpstan.neon.dist phpstan.dist.neon
  rustfmt.toml .rustfmt.toml .swiftlint.yml .credo.exs webpack.config.js webpack.prod.config.cjs rollup.config.mjs
  tsup.config.ts next.config.mts tailwind.config.cts gulpfile.js gulpfile.babel.js Gruntfile.js binding.gyp common.gypi`
  .trim()
  .split(/\s+/)

describe('what tools load unasked', () => {
  it.each(UNASKED)('%s is blocked, new or not', async (path) => {
    for (const change of [aChange(path), anEdit(path)])
      expect(await guard.check([change], [])).toEqual({
        status: 'blocked',
        reason: 'tool-hook',
        paths: [path],
      })
    expect(guard.isEditable(path)).toBe(false)
  })

  it.each([
    'email.py',
    'lib/zipfile.py',
    'tomllib/__init__.py',
    'psutil.py',
    'src/Random.py',
    'pluggy.py',
    'tests/iniconfig.py',
    '_pytest/__init__.py',
    'packaging/__init__.py',
    'bench/xdist.py',
    'pytest_codspeed/__init__.py',
    'requests.py',
    'src/click/__init__.py',
    'sklearn/__init__.py',
    'bench/_strptime.py',
    '_bz2.py',
    'src/_yaml/__init__.py',
    '__future__.py',
  ])('%s as a new file would stand in for a module', async (path) => {
    expect(await guard.check([aChange(path)], [])).toMatchObject({ reason: 'tool-hook' })
    // One that is there is a part of the project.
    expect(await guard.check([anEdit(path)], [])).toEqual({ status: 'clean' })
  })

  it.each([
    'src/config.ts',
    'src/config.js',
    'src/app.config.json',
    'src/app/app.config.ts',
    'src/configs.ts',
    'src/prettier.ts',
    'docs/ruff.md',
    'src/gulp.js',
    'src/biome.ts',
    'src/environment.py',
    'src/vendors.js',
    'vite.ts',
    'src/jest.ts',
    'src/env.js',
    'tsconfig.ts',
    'src/api/requests.py',
    'mypackage/_fast.py',
    'src/mypackage/_fast.py',
    'mypackage/_core/__init__.py',
    '__main__.py',
    '__init__.py',
    '_tools/_a.js',
  ])('%s is not loaded by a tool', async (path) => {
    expect(await guard.check([aChange(path)], [])).toEqual({ status: 'clean' })
  })
})

describe('beside a Python script of the evaluator', () => {
  const evaluatorFiles = ['Bench/run.py', 'app/measure.py', 'tests', 'bench.py']
  const beside = createGuard({ ...someRules(), editable: ['**'], protected: [], evaluatorFiles })

  it.each([
    'bench/tqdm.py',
    'bench/Shapely.py',
    'bench/shapely/__init__.py',
    'bench/_native.py',
    'app/tqdm/__init__.py',
  ])('%s as a new file would be imported first', async (path) => {
    expect(await beside.check([aChange(path)], [])).toMatchObject({ reason: 'tool-hook' })
    expect(await beside.check([anEdit(path)], [])).toEqual({ status: 'clean' })
    expect(beside.isEditable(path)).toBe(true)
  })

  it.each([
    'bench/test_more.py',
    'bench/data.json',
    'bench/inputs/cases.py',
    'app/fast.py',
    'app/_fast.py',
    'other/tqdm.py',
    'fast.py',
  ])('%s may be new', async (path) => {
    expect(await beside.check([aChange(path)], [])).toEqual({ status: 'clean' })
  })
})

describe('manifests', () => {
  const closed = createGuard({ ...someRules(), editable: ['**'], protected: [] })

  // `imports` and `type` of a nearer package.json decide what a module is; build.rs and setup.py run at build time.
  it.each([
    'package.json',
    'src/package.json',
    'build.rs',
    'setup.py',
    'deno.json',
    'Cargo.toml',
    'deps.edn',
    'requirements/base.txt',
    'requirements/dev.in',
    'gradle/libs.versions.toml',
    'environment.yaml',
    'packages.config',
    'WORKSPACE',
    'pylock.toml',
    'pylock.dev.toml',
    'gems.rb',
    'gems.locked',
    'shard.yml',
    'build.zig.zon',
    'a.rockspec',
    'a.podspec',
    'vcpkg-configuration.json',
    'Package@swift-5.9.swift',
  ])('%s is refused unless allowed', async (path) => {
    expect(await closed.check([aChange(path)], [])).toMatchObject({ reason: 'manifest' })
    expect(await guard.check([aChange(path)], [])).toEqual({ status: 'clean' })
  })
})

describe('names that are another name somewhere', () => {
  it.each([
    'eval.py::$DATA',
    'src/a:b',
    'NUL',
    'src/aux.js',
    'COM1.txt',
    '-rf',
    'src/--require=x.js',
    'eval.py.',
    'a ',
  ])('%j is unsafe', async (path) => {
    expect(await guard.check([aChange(path)], [])).toMatchObject({ reason: 'unsafe-path' })
  })

  it.each(['src/console.js', 'src/com10.js', 'src/a-b.js', 'src/nullable.ts', 'src/auxiliary.ts'])(
    '%j is a safe name',
    async (path) => {
      expect(await guard.check([aChange(path)], [])).toEqual({ status: 'clean' })
    },
  )
})
