import { foldName } from './path-names.ts'

// What decides which code of others is fetched and run, and which scripts run on the way (`postinstall`).
const MANIFESTS = new Set(
  `package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml
  .pnpmfile.cjs bun.lock bun.lockb bunfig.toml .npmrc .yarnrc .yarnrc.yml deno.json deno.jsonc deno.lock jsr.json
  lerna.json nx.json turbo.json pyproject.toml setup.py setup.cfg pipfile pipfile.lock poetry.lock pdm.lock uv.lock
  uv.toml pip.conf environment.yml conda-lock.yml pixi.toml pixi.lock cargo.toml cargo.lock build.rs
  rust-toolchain rust-toolchain.toml go.mod go.sum go.work go.work.sum gemfile gemfile.lock composer.json
  composer.lock pom.xml build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties
  gradle.lockfile gradle-wrapper.properties gradle-wrapper.jar gradlew mvnw build.sbt package.swift package.resolved
  podfile podfile.lock pubspec.yaml pubspec.lock mix.exs mix.lock rebar.config rebar.lock
  directory.build.props directory.build.targets directory.packages.props packages.lock.json nuget.config global.json
  paket.dependencies paket.lock flake.nix flake.lock conanfile.txt conanfile.py vcpkg.json module.bazel
  module.bazel.lock workspace.bazel renv.lock stack.yaml stack.yaml.lock cabal.project project.toml
  manifest.toml dune-project elm.json cpanfile`.split(/\s+/),
)
const MANIFEST_NAMES =
  /^(requirements[\w.-]*\.(txt|in)|constraints[\w.-]*\.txt|.*\.(gemspec|csproj|fsproj|vbproj|cabal))$/

/** True for files that say which dependencies are installed, and how. */
export function isManifest(path: string): boolean {
  const name = foldName(path.slice(path.lastIndexOf('/') + 1))
  return MANIFESTS.has(name) || MANIFEST_NAMES.test(name)
}

// Interpreters and test runners load these by name from the working directory, unasked: whoever writes one runs
// inside the evaluator before the first line of it does.
const LOADED_FILES = [
  /^(conftest|sitecustomize|usercustomize|noxfile)\.py$|\.pth$|^(pytest|tox)\.ini$|^\.(coveragerc|pythonrc)$/,
  /^\.(babelrc|mocharc|nycrc|swcrc|taprc|c8rc|noderc)(\..*)?$|^babel\.config\./,
  /^(jest|vitest|karma|ava|playwright|cypress|jasmine)\.(config|setup|workspace)\./,
  /^\.(rspec|irbrc|env|envrc|bashrc|profile|user\.ini|htaccess)(\..*)?$|^phpunit\.xml/,
]

// Whatever lies in these is found before, or instead of, the dependency that was installed.
const DEPENDENCY_FOLDERS = new Set(
  `node_modules bower_components site-packages dist-packages __pypackages__ __pycache__ venv .venv .tox .nox
  .cargo .bundle .mvn .gradle .yarn .pnpm .bin`.split(/\s+/),
)

// A Python module of this name, anywhere on the search path, is imported instead of the standard one.
const PYTHON_MODULES = new Set(
  `abc argparse array ast asyncio atexit base64 bisect builtins calendar cmath codecs collections concurrent
  configparser contextlib copy csv ctypes dataclasses datetime decimal difflib dis enum errno faulthandler
  fractions functools gc getpass gettext glob gzip hashlib heapq hmac http importlib inspect io ipaddress itertools
  json linecache locale logging lzma marshal math mmap multiprocessing numbers operator os pathlib pickle pkgutil
  platform posixpath pprint profile queue random re reprlib resource runpy sched secrets select selectors shelve
  shlex shutil signal site socket sqlite3 ssl stat statistics string struct subprocess symtable sys sysconfig
  tempfile textwrap threading time timeit token tokenize trace traceback tracemalloc types typing unicodedata
  unittest urllib uuid warnings weakref xml zipfile zlib numpy pytest`.split(/\s+/),
)

/**
 * True for files that a tool loads on its own account: hooks of test runners and interpreters, anything in a
 * folder of dependencies, and (for new files) a Python module that stands in for a standard one.
 */
export function isToolHook(path: string, isNew: boolean): boolean {
  const names = foldName(path).split('/')
  const name = names.pop() ?? ''
  if (names.some((folder) => DEPENDENCY_FOLDERS.has(folder))) return true
  if (LOADED_FILES.some((pattern) => pattern.test(name))) return true
  const module = name === '__init__.py' ? (names.at(-1) ?? '') : name.replace(/\.pyc?$/, '')
  return isNew && /\.pyc?$/.test(name) && PYTHON_MODULES.has(module)
}
