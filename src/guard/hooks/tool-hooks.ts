import { foldName } from '../paths/path-names.ts'
import { foldersOfScripts, isPythonStandIn, isPythonStarter } from './python-modules.ts'

// Interpreters, test runners and gate tools load these by name from the working directory: whoever writes one runs inside
// the evaluator before its first line, or controls how it runs.
const LOADED_FILES = [
  // Python
  /^(conftest|noxfile|dodo)\.py$|\.pth$|^\.?(pytest|tox|mypy|nose2?)\.(ini|toml|cfg)$|^unittest\.cfg$/,
  /^\.(coveragerc|pythonrc|pdbrc|noserc|flake8)$|^pyrightconfig\.json$|^\.?(ruff\.toml|pylintrc(\.toml)?)$/,
  // Node, Bun, Deno: package managers, transpilers, coverage
  /^\.(npmrc|yarnrc|yarnrc\.yml|pnpmfile\.cjs|pnp\.[\w.]+)$|^bunfig\.toml$|^node\.config\.json$|^[tj]sconfig([\w.-]*)\.json$/,
  /^\.(babelrc|mocharc|nycrc|swcrc|taprc|c8rc|noderc|postcssrc|eslintrc|testcaferc|cucumber|istanbul)(\..*)?$/,
  /^\.(prettierrc|stylelintrc|oxlintrc)(\..*)?$|^\.(eslint|prettier|stylelint)ignore$|^\.?biome\.jsonc?$|^tslint\.(json|ya?ml)$/,
  // Bundlers and most others are configured by a program of this name, and builds come before what is measured. But
  // app.config.ts is an application's own source (Angular, Nuxt).
  /^(?!app\.).*\.config\.[cm]?[jt]s$|^(gulpfile|gruntfile)\.|\.gypi?$/,
  /^(babel|postcss|eslint|nyc|vite|swc|webdriver|prettier|stylelint)\.config\.|^mocha\.opts$|^jasmine\.json$|^cucumber\.[cm]?js$/,
  /^(jest|vitest|karma|ava|playwright|cypress|jasmine)\.(config|setup|workspace|projects?|preset|conf)\./,
  // Shells, Ruby, PHP, Perl, Lua, R, Haskell, Elixir, debuggers
  /^\.(rspec|irbrc|pryrc|env|envrc|bashrc|bash_profile|bash_login|zshenv|zshrc|zprofile|profile|inputrc)(\..*)?$/,
  /^\.(user\.ini|htaccess|proverc|busted|luacov|rprofile|renviron|ghci|iex\.exs|gdbinit|lldbinit)$|^phpunit\.xml|^php\.ini$/,
  /^phpstan\.(dist\.)?neon(\.dist)?$|^\.(rubocop\w*|swiftlint)\.ya?ml$|^\.credo\.exs$/,
  // JVM, .NET, Rust, Go, Julia, Bazel
  /^junit-platform\.properties$|^\.(jvmopts|sbtopts|bazelrc|runsettings)$|\.runsettings$|^xunit\.runner\.json$/,
  /^(directory\.build|msbuild)\.rsp$|^runtimeconfig\.template\.json$|^dotnet-tools\.json$|^\.?(clippy|rustfmt)\.toml$/,
  /^nextest\.toml$|^localpreferences\.toml$|^\.golangci\.(ya?ml|toml|json)$/,
  // Which version of an interpreter is started
  /^\.(python|node|ruby|java|go|terraform|php|perl|deno|bun)-version$|^\.(nvmrc|tool-versions|sdkmanrc)$|^\.?mise\.([\w.]*)toml$/,
]

// Content of these folders shadows installed dependencies; jest replaces packages with those in `__mocks__`.
const DEPENDENCY_FOLDERS = new Set(
  `node_modules bower_components site-packages dist-packages __pypackages__ __pycache__ __mocks__ venv .venv .tox .nox
  .cargo .bundle .mvn .gradle .yarn .pnpm .bin vendor`.split(/\s+/),
)
// The JVM loads every provider named in here.
const SERVICE_FOLDER = /(^|\/)meta-inf\/services\//

/**
 * Detects files that a tool loads by itself: hooks of test runners and interpreters, anything in a dependency folder, and
 * (for new files) Python modules that shadow another.
 */
export function createToolHookTest(
  evaluatorFiles: readonly string[],
): (path: string, isNew: boolean) => boolean {
  const scriptFolders = foldersOfScripts(evaluatorFiles.map(foldName))
  return (path, isNew) => {
    const folded = foldName(path)
    return isLoaded(folded) || isPythonStarter(folded) || (isNew && isPythonStandIn(folded, scriptFolders))
  }
}

function isLoaded(folded: string): boolean {
  if (SERVICE_FOLDER.test(folded)) return true
  const names = folded.split('/')
  const name = names.pop() ?? ''
  if (names.some((folder) => DEPENDENCY_FOLDERS.has(folder))) return true
  return LOADED_FILES.some((pattern) => pattern.test(name))
}
