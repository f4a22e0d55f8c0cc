import { createNameTest, splitPatterns } from '../paths/name-patterns.ts'

/** Files that a tool reads without being told to. Patterns as in name-patterns.ts, in lower case. */
export interface LoadedFiles {
  readonly tool: string
  readonly reads: string
  /** Patterns that belong to projects all the same. */
  readonly except?: string
  /** What the author of such a file gains. */
  readonly why: string
}

/**
 * One row for each tool or family of tools. To add one: write down which names the tool itself looks up in the folder it is
 * started in, above or below it, say why that matters, and add an example to test/guard/hooks/loaded-files.test.ts.
 */
export const LOADED_FILES: readonly LoadedFiles[] = [
  // Python
  {
    tool: 'Python start-up',
    reads: '*.pth *._pth pyvenv.cfg .pythonrc .pdbrc',
    why: 'the interpreter runs import lines in path files and takes its search path from them',
  },
  {
    tool: 'Python package metadata',
    reads: '*.dist-info/ *.egg-info/ *.egg/ *.egg-link',
    why: 'every folder of the search path is searched for entry points: pytest imports the plug-ins named there',
  },
  {
    tool: 'Python test runners',
    reads: `conftest.py noxfile.py dodo.py unittest.cfg .noserc {pytest,.pytest,tox,.tox,nose,.nose,nose2,.nose2}.{ini,toml,cfg}
      .testr.conf .stestr.conf behave.ini .behaverc features/environment.py robot.toml __init__.robot`,
    why: 'they are imported or obeyed before the first test: they can deselect tests and replace what they call',
  },
  {
    tool: 'Python benchmarks and coverage',
    reads: `asv.conf.json asv*.conf.json .coveragerc locustfile.py locust.conf .locust.conf .benchmarks/ .hypothesis/`,
    why: 'they say what is measured, against which earlier results, and which code is left out',
  },
  {
    tool: 'Python linters and type checkers',
    reads: `{mypy,.mypy}.{ini,toml,cfg} .flake8 pyrightconfig.json ruff.toml .ruff.toml ty.toml pylintrc .pylintrc pylintrc.toml
      .pylintrc.toml .pyre_configuration .bandit bandit.yaml .isort.cfg .importlinter`,
    why: 'a gate that lints passes when its rules are off; pylint and mypy import plug-ins',
  },
  // JavaScript
  {
    tool: 'JavaScript runtimes and package managers',
    reads: `.npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnp.* bunfig.toml node.config.json .noderc .noderc.* nodemon.json`,
    why: 'they preload code, choose a shell for scripts and map module names to other files',
  },
  {
    tool: 'TypeScript, Babel and SWC',
    reads: '{ts,js}config*.json .babelrc .babelrc.* .swcrc .swcrc.* {babel,swc}.config.*',
    why: 'they decide which file an import means and what the code is compiled to',
  },
  {
    tool: 'JavaScript bundlers and task runners',
    reads: `*.config.{js,cjs,mjs,ts,cts,mts} vite.config.* .parcelrc .proxyrc .proxyrc.* .terserrc .terserrc.* .umirc.*
      .fatherrc.* .browserslistrc browserslist .postcssrc .postcssrc.* postcss.config.* gulpfile.* gruntfile.* *.gyp *.gypi`,
    // An application's own source (Angular, Nuxt).
    except: 'app.config.{js,cjs,mjs,ts,cts,mts}',
    why: 'builds run these programs before anything is measured, and their targets and minifiers change what is measured',
  },
  {
    tool: 'JavaScript size and page budgets',
    reads: `.size-limit .size-limit.* {lighthouserc,.lighthouserc}.* .bundlewatchrc .bundlewatchrc.* bundlewatch.config.*
      bundlesize.config.*`,
    why: 'they hold the limits, and the files that are weighed',
  },
  {
    tool: 'JavaScript test runners',
    reads: `{jest,vitest,karma,ava,playwright,cypress,jasmine}.{config,setup,workspace,project,projects,preset,conf}.*
      .mocharc .mocharc.* mocha.opts jasmine.json .taprc .taprc.* .testcaferc .testcaferc.* .cucumber .cucumber.*
      cucumber.{js,cjs,mjs} webdriver.config.* wdio.conf.* wdio.*.conf.*`,
    why: 'they choose the tests and load code into the process that judges them',
  },
  {
    tool: 'JavaScript coverage',
    reads: '.nycrc .nycrc.* nyc.config.* .c8rc .c8rc.* .istanbul .istanbul.*',
    why: 'they hold thresholds and the files that do not count',
  },
  {
    tool: 'JavaScript linters and formatters',
    reads: `.eslintrc .eslintrc.* eslint.config.* .eslintignore .prettierrc .prettierrc.* prettier.config.* .prettierignore
      .stylelintrc .stylelintrc.* stylelint.config.* .stylelintignore .oxlintrc .oxlintrc.* biome.json biome.jsonc
      .biome.json .biome.jsonc tslint.json tslint.yml tslint.yaml .jshintrc .xo-config .xo-config.* dprint.json .dprint.json
      .editorconfig`,
    why: 'a gate that lints passes when its rules are off; most of these load plug-ins, .NET reads severities from .editorconfig',
  },
  // Ruby, PHP, Perl, Lua
  {
    tool: 'Ruby test runners',
    reads: `.rspec .rspec-local .simplecov spec_helper.rb rails_helper.rb test_helper.rb minitest_helper.rb
      minitest/*_plugin.rb rubygems_plugin.rb features/support/ guardfile`,
    why: 'RSpec, Minitest, Cucumber and SimpleCov load them before the tests',
  },
  {
    tool: 'Ruby consoles and linters',
    reads: '.irbrc .pryrc .rubocop*.yml .rubocop*.yaml .standard.yml .reek.yml',
    why: 'they run at start, or switch rules off',
  },
  {
    tool: 'PHP test runners',
    reads: `phpunit.xml* phpbench.json phpbench.json.dist phpspec.yml phpspec.yml.dist behat.yml behat.yml.dist behat.php
      codeception.yml codeception.dist.yml *.suite.yml *.suite.dist.yml pest.php tests/bootstrap.php test/bootstrap.php
      infection.json infection.json5 infection.json.dist kahlan-config.php`,
    why: 'they choose tests, bootstrap code and what a benchmark compares',
  },
  {
    tool: 'PHP itself and its linters',
    reads: `.user.ini .htaccess php.ini phpstan.neon phpstan.neon.dist phpstan.dist.neon phpstan.dist.neon.dist psalm.xml
      psalm.xml.dist phpcs.xml phpcs.xml.dist .phpcs.xml .phpcs.xml.dist .php-cs-fixer.php .php-cs-fixer.dist.php rector.php
      ecs.php pint.json grumphp.yml`,
    why: 'auto_prepend_file runs code first; the others switch rules off',
  },
  {
    tool: 'Perl and Lua tools',
    reads: '.proverc .perlcriticrc .perltidyrc .busted .luacov .luacheckrc .luarc.json',
    why: 'they add options and load modules',
  },
  // JVM
  {
    tool: 'JVM service providers',
    reads: `meta-inf/services/ meta-inf/benchmarklist meta-inf/compilerhints meta-inf/spring.factories mockito-extensions/`,
    why: 'the JVM, JMH, Mockito and Spring load every class that is named there',
  },
  {
    tool: 'JVM test runners',
    reads: `junit-platform.properties testng.xml cucumber.properties kotest.properties spockconfig.groovy arquillian.xml
      .jvmopts .sbtopts lombok.config .scalafmt.conf .scalafix.conf`,
    why: 'they register extensions, switch tests off and add options to the JVM and the compiler',
  },
  // .NET
  {
    tool: '.NET test runners and compilers',
    reads: `.runsettings *.runsettings xunit.runner.json *.xunit.runner.json testconfig.json *.testconfig.json
      directory.build.rsp msbuild.rsp runtimeconfig.template.json dotnet-tools.json .globalconfig *.globalconfig *.ruleset
      stylecop.json launchsettings.json`,
    why: 'they filter tests, load collectors and adapters, and add options to the build and the runtime',
  },
  // C, C++
  {
    tool: 'C and C++ tools',
    reads: `.clang-tidy .clang-format compile_flags.txt compile_commands.json ctestcustom.cmake ctesttestfile.cmake
      dartconfiguration.tcl .valgrindrc .gcovr gcovr.cfg .lcovrc .gdbinit .lldbinit`,
    why: 'CTest leaves tests out, valgrind takes options from the working directory, debuggers run commands',
  },
  {
    tool: 'Build products',
    reads: `*.o *.obj *.a *.lib *.so *.so.* *.dylib *.dll *.pyd *.pyc *.pyo *.class *.jar *.war *.gch *.pch *.pcm *.rlib
      *.rmeta *.node *.beam *.elc *.hi *.cmi *.cmo *.cmx`,
    why: 'make, linkers and interpreters take them in place of their sources; a linker script is plain text',
  },
  // Rust, Go
  {
    tool: 'Cargo tools',
    reads: `.config/nextest.toml nextest.toml clippy.toml .clippy.toml rustfmt.toml .rustfmt.toml criterion.toml tarpaulin.toml
      .tarpaulin.toml deny.toml mutants.toml`,
    why: 'they filter tests and benchmarks, set their time and noise, and switch lints off',
  },
  {
    tool: 'Go tools',
    reads:
      'default.pgo .golangci.yml .golangci.yaml .golangci.toml .golangci.json staticcheck.conf revive.toml',
    why: 'go build optimises for the profile default.pgo of the main package; linters switch rules off',
  },
  // Others
  {
    tool: 'Elixir, Dart, R, Julia, Haskell, Nim, Clojure, Swift',
    reads: `test_helper.exs .iex.exs .credo.exs .formatter.exs dart_test.yaml flutter_test_config.dart analysis_options.yaml
      testthat/helper*.r testthat/setup*.r testthat/teardown*.r .rprofile .renviron localpreferences.toml .ghci hie.yaml
      config.nims nim.cfg *.nim.cfg *.nims user.clj data_readers.clj data_readers.cljc tests.edn .swiftlint.yml
      .swiftlint.yaml .swiftformat linuxmain.swift`,
    why: 'compilers, consoles and test runners load them by these names',
  },
  {
    tool: 'Bazel and Buck',
    reads: '.bazelrc .bazelversion .bazeliskrc .bazelignore .buckconfig',
    why: 'they add options to every command',
  },
  {
    tool: 'Shells and environments',
    reads: `.env .env.* .envrc .envrc.* {.bashrc,.bash_profile,.bash_login,.zshenv,.zshrc,.zprofile,.profile,.inputrc}
      {.bashrc,.bash_profile,.bash_login,.zshenv,.zshrc,.zprofile,.profile,.inputrc,.rspec,.irbrc,.pryrc}.*`,
    why: 'they set variables such as NODE_OPTIONS for whatever is started later',
  },
  {
    tool: 'Version managers',
    reads: `.{python,node,ruby,java,go,terraform,php,perl,deno,bun}-version .nvmrc .tool-versions .sdkmanrc mise.toml .mise.toml
      mise.*.toml .mise.*.toml devbox.json`,
    why: 'they decide which interpreter is started',
  },
  {
    tool: 'Dependency folders',
    reads: `node_modules/ bower_components/ site-packages/ dist-packages/ __pypackages__/ __pycache__/ __mocks__/ venv/ .venv/
      .tox/ .nox/ .cargo/ .bundle/ .mvn/ .gradle/ .yarn/ .pnpm/ .bin/ vendor/`,
    why: 'their content is taken in place of installed dependencies; jest replaces packages with those in __mocks__',
  },
]

const ROWS = LOADED_FILES.map((row) => ({
  row,
  reads: createNameTest(splitPatterns(row.reads)),
  except: createNameTest(splitPatterns(row.except ?? '')),
}))

// Asked first, because almost no path is in any row.
const isInTable = createNameTest(LOADED_FILES.flatMap(({ reads }) => splitPatterns(reads)))

/** The row of the table that names this folded path. */
export function findLoadedFiles(folded: string): LoadedFiles | undefined {
  if (!isInTable(folded)) return undefined
  return ROWS.find(({ reads, except }) => reads(folded) && !except(folded))?.row
}
