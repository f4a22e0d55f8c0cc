import { describe, expect, it } from 'vitest'
import { createGuard } from '../../../src/guard/guard.ts'
import { LOADED_FILES } from '../../../src/guard/hooks/loaded-files.ts'
import { BUILD_FILES } from '../../../src/guard/paths/manifests.ts'
import { SNAPSHOTS } from '../../../src/guard/tests/snapshots.ts'
import { aChange, aDeletion, anEdit, someRules } from '../changes.ts'

const rules = { ...someRules(), editable: ['**'], protected: [] }
const guard = createGuard({ ...rules, allowManifests: true })
const closed = createGuard(rules)

// For each row of the table: files that the tool reads by itself, then files that it does not.
const LOADED: Readonly<Record<string, readonly [read: string, unread: string]>> = {
  'Python start-up': ['src/x.pth python313._pth src/pyvenv.cfg', 'src/path.py'],
  'Python package metadata': [
    'src/x-1.0.dist-info/entry_points.txt X.egg-info/entry_points.txt src/x.egg-link',
    'src/dist-info.py src/entry_points.txt',
  ],
  'Python test runners': ['src/conftest.py tests/features/environment.py .stestr.conf', 'src/environment.py'],
  'Python benchmarks and coverage': [
    'asv.conf.json bench/asv.ci.conf.json .benchmarks/x.json',
    'src/asv_conf.py',
  ],
  'Python linters and type checkers': ['src/ruff.toml .isort.cfg', 'src/isort.py'],
  'JavaScript runtimes and package managers': ['src/.npmrc .pnp.data.json', 'src/npmrc.js'],
  'TypeScript, Babel and SWC': ['src/tsconfig.lib.json src/.swcrc', 'src/tsconfig.ts'],
  'JavaScript bundlers and task runners': [
    '.browserslistrc src/.parcelrc .terserrc.json src/webpack.config.js browserslist',
    'src/app.config.ts src/browserslist.ts',
  ],
  'JavaScript size and page budgets': [
    '.size-limit.json .size-limit.ts lighthouserc.js .lighthouserc.yml',
    'src/size-limit.ts',
  ],
  'JavaScript test runners': ['wdio.conf.ts wdio.local.conf.js src/jest.setup.ts', 'src/wdio.ts'],
  'JavaScript coverage': ['.nycrc src/.c8rc.json', 'src/nyc.ts'],
  'JavaScript linters and formatters': ['.editorconfig src/.eslintrc.cjs', 'src/eslint.ts'],
  'Ruby test runners': [
    '.simplecov spec/spec_helper.rb lib/minitest/x_plugin.rb features/support/env.rb',
    'lib/helper.rb lib/x_plugin.rb',
  ],
  'Ruby consoles and linters': ['.irbrc .rubocop_todo.yml', 'lib/rubocop.rb'],
  'PHP test runners': [
    'phpbench.json src/phpunit.xml.dist tests/Pest.php tests/bootstrap.php',
    'src/bootstrap.php',
  ],
  'PHP itself and its linters': ['src/.user.ini psalm.xml', 'src/psalm.php'],
  'Perl and Lua tools': ['.proverc .luacov', 'src/prove.pl'],
  'JVM service providers': [
    'src/main/resources/META-INF/services/x.Y src/META-INF/BenchmarkList src/mockito-extensions/org.mockito.plugins.MockMaker',
    'src/META-INF/notice.txt',
  ],
  'JVM test runners': [
    'src/test/resources/junit-platform.properties testng.xml',
    'src/main/resources/app.properties',
  ],
  '.NET test runners and compilers': [
    'a.runsettings src/.globalconfig A.testconfig.json',
    'src/appsettings.json',
  ],
  'C and C++ tools': ['.valgrindrc src/CTestCustom.cmake', 'src/valgrind.c'],
  'Build products': [
    'src/sum.o src/libm.so.6 src/sum.h.gch src/sum.cpython-313-x86_64-linux-gnu.so',
    'src/sum.ots',
  ],
  'Cargo tools': ['criterion.toml .config/nextest.toml', 'src/criterion.rs'],
  'Go tools': ['cmd/x/default.pgo .golangci.yml', 'cmd/x/other.go'],
  'Elixir, Dart, R, Julia, Haskell, Nim, Clojure, Swift': [
    'test/test_helper.exs test/flutter_test_config.dart tests/testthat/helper-x.R src/sum.nim.cfg src/user.clj',
    'R/helper.R src/users.clj',
  ],
  'Bazel and Buck': ['.bazelrc', 'src/bazel.py'],
  'Shells and environments': ['.env.local src/.bashrc', 'src/env.sh'],
  'Version managers': ['.nvmrc mise.local.toml', 'src/mise.ts'],
  'Dependency folders': ['src/node_modules/x/index.js vendor/x.go', 'src/vendors/x.go'],
}

describe('files that tools load by themselves', () => {
  it('every row of the table has examples', () => {
    expect(Object.keys(LOADED)).toEqual(LOADED_FILES.map(({ tool }) => tool))
  })

  it.each(Object.entries(LOADED))('blocks what is read by: %s', async (_, [read, unread]) => {
    for (const path of read.split(' '))
      for (const change of [aChange(path), anEdit(path), aDeletion(path)])
        expect(await guard.check([change], [])).toEqual({
          status: 'blocked',
          reason: 'tool-hook',
          paths: [path],
        })
    for (const path of unread.split(' '))
      expect([path, await guard.check([aChange(path)], [])]).toEqual([path, { status: 'clean' }])
  })
})

const BUILT: Readonly<Record<string, string>> = {
  CMake: 'src/CMakeLists.txt src/flags.cmake',
  'Meson and Ninja': 'src/meson.build build.ninja',
  make: 'src/Makefile src/rules.mk Makefile.linux',
  Autotools: 'configure.ac src/configure',
  Gradle: 'app/build.gradle app/build.gradle.kts gradle/extra.gradle buildSrc/src/main/kotlin/X.kt',
  'sbt, Mill and Ant': 'project/plugins.sbt build.sc',
  MSBuild: 'src/Extra.props src/a.targets a.sln',
  'Bazel, Buck and Pants': 'src/BUILD src/defs.bzl',
  'Rake, Thor and Guard': 'Rakefile lib/tasks/x.rake',
  Dune: 'src/dune',
  Zig: 'build.zig',
  'SCons, Waf and xmake': 'src/SConscript wscript',
  'Task runners': 'Makefile.toml justfile Taskfile.yml',
  Containers: 'Dockerfile docker/Dockerfile.dev docker-compose.yml compose.yaml',
  Nix: 'shell.nix',
}

describe('build files', () => {
  it('every row of the table has examples', () => {
    expect(Object.keys(BUILT)).toEqual(BUILD_FILES.map(({ tool }) => tool))
  })

  it.each(Object.entries(BUILT))('refuses build files unless manifests are allowed: %s', async (_, paths) => {
    for (const path of paths.split(' ')) {
      expect([path, await closed.check([aChange(path)], [])]).toMatchObject([path, { reason: 'manifest' }])
      expect(await guard.check([anEdit(path)], [])).toEqual({ status: 'clean' })
    }
  })

  it.each(['src/build.ts', 'src/make.py', 'src/docker.go', 'src/gradle.kt', 'src/app/tasks.py'])(
    'takes %s for source code',
    async (path) => {
      expect(await closed.check([aChange(path)], [])).toEqual({ status: 'clean' })
    },
  )
})

describe('files of the repository', () => {
  it.each([
    'CODEOWNERS',
    'docs/CODEOWNERS',
    'renovate.json',
    'renovate.json5',
    '.renovaterc.json',
    '.github/dependabot.yml',
    '.mergify.yml',
    'action.yml',
    'sub/action.yaml',
    'codecov.yml',
    '.releaserc.json',
  ])('always protects %s', async (path) => {
    expect(await guard.check([anEdit(path)], [])).toMatchObject({ reason: 'protected-path' })
    expect(guard.isEditable(path)).toBe(false)
  })

  it.each(['src/owners/list.ts', 'src/action.ts', 'src/renovate.ts'])('does not protect %s', (path) => {
    expect(guard.isEditable(path)).toBe(true)
  })
})

const RECORDED: Readonly<Record<string, string>> = {
  'Jest, Vitest, AVA, insta': 'src/__snapshots__/sum.test.js.snap src/snapshots/a.snap test/sum.test.js.md',
  'image comparison': 'test/__image_snapshots__/a.svg test/a.spec.ts-snapshots/a.txt',
  'syrupy, pytest-snapshot, inline-snapshot': 'tests/x.ambr',
  'Go and others': 'pkg/testdata/out.golden testdata/expected/a.json tests/golden/a.txt',
  'ApprovalTests and Verify': 'test/Sum.Adds.approved.txt test/Sum.verified.json',
  testthat: 'tests/testthat/_snaps/sum.md',
}

describe('recorded expectations', () => {
  it('every row of the table has examples', () => {
    expect(Object.keys(RECORDED)).toEqual(SNAPSHOTS.map(({ tool }) => tool))
  })

  it.each(Object.entries(RECORDED))('keeps existing snapshots as they are: %s', async (_, paths) => {
    for (const path of paths.split(' ')) {
      const blocked = { status: 'blocked', reason: 'test-removed', paths: [path] }
      expect(await guard.check([anEdit(path)], [])).toEqual(blocked)
      expect(await guard.check([aDeletion(path)], [])).toEqual(blocked)
      expect(await guard.check([aChange(path)], [])).toEqual({ status: 'clean' })
      expect([guard.isEditable(path), guard.isEditable(path, true)]).toEqual([false, true])
    }
  })

  it('does not take a module about snapshots for one', () => {
    expect(guard.isEditable('src/snapshots/take.ts')).toBe(true)
  })
})
