import { createNameTest, splitPatterns } from './name-patterns.ts'
import { foldName } from './path-names.ts'

// The exact installed versions. Changing them changes the evaluator.
const LOCKFILES = new Set(
  `package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock
  pipfile.lock poetry.lock pdm.lock uv.lock pylock.toml conda-lock.yml pixi.lock cargo.lock go.sum go.work.sum
  gemfile.lock gems.locked composer.lock gradle.lockfile package.resolved podfile.lock cartfile.resolved pubspec.lock
  mix.lock rebar.lock packages.lock.json paket.lock flake.lock module.bazel.lock renv.lock stack.yaml.lock
  shard.lock dub.selections.json`.split(/\s+/),
)
// Often a project's only list of versions.
const PINNED = /^(requirements[\w.-]*\.txt|constraints[\w.-]*\.txt|pylock\.[\w-]+\.toml)$/

// They decide which third-party code is fetched and which scripts run meanwhile (`postinstall`).
const MANIFESTS = new Set(
  `package.json pnpm-workspace.yaml .pnpmfile.cjs bunfig.toml .npmrc .yarnrc .yarnrc.yml deno.json
  deno.jsonc jsr.json import_map.json bower.json lerna.json nx.json turbo.json pyproject.toml setup.py setup.cfg
  pipfile poetry.toml uv.toml pip.conf environment.yml environment.yaml pixi.toml cargo.toml build.rs rust-toolchain
  rust-toolchain.toml go.mod go.work gemfile gems.rb composer.json pom.xml build.gradle build.gradle.kts
  settings.gradle settings.gradle.kts gradle.properties gradle-wrapper.properties gradle-wrapper.jar gradlew
  gradlew.bat mvnw mvnw.cmd build.sbt package.swift podfile cartfile pubspec.yaml mix.exs rebar.config
  directory.build.props directory.build.targets directory.packages.props nuget.config packages.config global.json
  paket.dependencies paket.references flake.nix conanfile.txt conanfile.py vcpkg.json vcpkg-configuration.json
  build.zig.zon module.bazel workspace workspace.bazel stack.yaml cabal.project project.toml manifest.toml
  dune-project elm.json cpanfile deps.edn project.clj bb.edn shard.yml dub.json dub.sdl`.split(/\s+/),
)
const MANIFEST_NAMES =
  /^(requirements[\w.-]*\.in|package@swift-[\d.]+\.swift|.*\.versions\.toml|.*\.(gemspec|podspec|rockspec|nimble|opam|csproj|fsproj|vbproj|cabal))$/

/** Files from which a build is made, at any depth: builds read them below editable folders too, and they can run any program. */
export const BUILD_FILES: readonly { readonly tool: string; readonly reads: string }[] = [
  { tool: 'CMake', reads: 'cmakelists.txt *.cmake cmakepresets.json cmakeuserpresets.json' },
  { tool: 'Meson and Ninja', reads: 'meson.build meson_options.txt meson.options *.ninja' },
  { tool: 'make', reads: 'makefile gnumakefile bsdmakefile makefile.* *.mk *.mak kbuild' },
  { tool: 'Autotools', reads: 'configure configure.ac configure.in aclocal.m4 config.sub config.guess' },
  { tool: 'Gradle', reads: '*.gradle *.gradle.kts *.gradle.dcl buildsrc/ gradle/wrapper/' },
  { tool: 'sbt, Mill and Ant', reads: '*.sbt project/build.properties build.mill build.sc build.xml' },
  { tool: 'MSBuild', reads: '*.props *.targets *.sln *.slnx *.slnf *.proj' },
  { tool: 'Bazel, Buck and Pants', reads: 'build build.bazel *.bzl buck pants.toml' },
  { tool: 'Rake, Thor and Guard', reads: 'rakefile *.rake thorfile' },
  { tool: 'Dune', reads: 'dune dune-workspace' },
  { tool: 'Zig', reads: 'build.zig' },
  {
    tool: 'SCons, Waf and xmake',
    reads: 'sconstruct sconscript wscript xmake.lua premake*.lua jamfile jamroot tupfile',
  },
  {
    tool: 'Task runners',
    reads: 'justfile .justfile *.just taskfile.* taskfile.dist.* makefile.toml fabfile.py',
  },
  {
    tool: 'Containers',
    reads:
      '{dockerfile,containerfile} {dockerfile,containerfile}.* *.dockerfile .dockerignore {docker-,}compose{,.*}.{yml,yaml}',
  },
  { tool: 'Nix', reads: 'default.nix shell.nix' },
]
const isBuildFile = createNameTest(BUILD_FILES.flatMap(({ reads }) => splitPatterns(reads)))

// `requirements/base.txt`: pip's lists, split by purpose.
const REQUIREMENTS_FOLDER = /(^|\/)requirements\/[^/]+\.(txt|in)$/

/** True for files that say which dependencies are installed, and how everything is built. */
export function isManifest(path: string): boolean {
  const folded = foldName(path)
  const name = nameOf(folded)
  return isLockfile(path) || MANIFESTS.has(name) || MANIFEST_NAMES.test(name) || isBuildFile(folded)
}

/** True for files that pin the installed versions. */
export function isLockfile(path: string): boolean {
  const folded = foldName(path)
  const name = nameOf(folded)
  return LOCKFILES.has(name) || PINNED.test(name) || REQUIREMENTS_FOLDER.test(folded)
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
