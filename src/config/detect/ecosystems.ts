import { detectC, detectDotnet, detectGo, detectJvm, detectRust } from './compiled.ts'
import { detectJavaScript } from './javascript.ts'
import type { Commands, Language, Project } from './project.ts'
import { detectPython } from './python.ts'
import { detectPhp, detectRuby, detectShell } from './scripted.ts'

export interface Ecosystem {
  readonly language: Language
  readonly extensions: readonly string[]
  /** Where sources usually are. */
  readonly folders: readonly string[]
  /** Where tests are. A candidate that edits them could pass without being correct. */
  readonly tests: readonly string[]
  readonly detect: (project: Project) => Promise<Commands>
}

const SCRIPT_FOLDERS = ['src', 'lib', 'app', 'packages']
const SCRIPT_TESTS = ['test/**', 'tests/**', '**/__tests__/**', '**/*.test.*', '**/*.spec.*']
const JVM_FOLDERS = ['src/main', 'app/src/main', 'lib/src/main']
const C_FOLDERS = ['src', 'lib', 'include', 'source']
const PLAIN_TESTS = ['test/**', 'tests/**']

/** The languages that `loreley init` knows. The one with the most files wins, the earlier one on a tie. */
export const ECOSYSTEMS: readonly Ecosystem[] = [
  {
    language: 'typescript',
    extensions: ['ts', 'tsx', 'mts', 'cts'],
    folders: SCRIPT_FOLDERS,
    tests: SCRIPT_TESTS,
    detect: detectJavaScript,
  },
  {
    language: 'javascript',
    extensions: ['js', 'mjs', 'cjs', 'jsx'],
    folders: SCRIPT_FOLDERS,
    tests: SCRIPT_TESTS,
    detect: detectJavaScript,
  },
  {
    language: 'python',
    extensions: ['py', 'pyx'],
    folders: ['src', 'lib', 'app'],
    tests: [...PLAIN_TESTS, '**/test_*.py', '**/*_test.py', '**/conftest.py'],
    detect: detectPython,
  },
  {
    language: 'go',
    extensions: ['go'],
    folders: ['cmd', 'internal', 'pkg'],
    tests: ['**/*_test.go', '**/testdata/**'],
    detect: detectGo,
  },
  {
    language: 'rust',
    extensions: ['rs'],
    folders: ['src', 'crates'],
    tests: ['tests/**', 'crates/*/tests/**', '**/benches/**'],
    detect: detectRust,
  },
  {
    language: 'java',
    extensions: ['java'],
    folders: JVM_FOLDERS,
    tests: ['**/src/test/**'],
    detect: detectJvm,
  },
  {
    language: 'kotlin',
    extensions: ['kt', 'kts'],
    folders: JVM_FOLDERS,
    tests: ['**/src/test/**'],
    detect: detectJvm,
  },
  {
    language: 'ruby',
    extensions: ['rb'],
    folders: ['lib', 'app', 'src'],
    tests: [...PLAIN_TESTS, 'spec/**'],
    detect: detectRuby,
  },
  {
    language: 'php',
    extensions: ['php'],
    folders: ['src', 'lib', 'app'],
    tests: PLAIN_TESTS,
    detect: detectPhp,
  },
  {
    language: 'c++',
    extensions: ['cpp', 'cc', 'cxx', 'hpp', 'hh', 'hxx'],
    folders: C_FOLDERS,
    tests: PLAIN_TESTS,
    detect: detectC,
  },
  { language: 'c', extensions: ['c', 'h'], folders: C_FOLDERS, tests: PLAIN_TESTS, detect: detectC },
  {
    language: 'c#',
    extensions: ['cs'],
    folders: ['src', 'source'],
    tests: [...PLAIN_TESTS, '**/*Tests/**', '**/*.Tests/**'],
    detect: detectDotnet,
  },
  {
    language: 'shell',
    extensions: ['sh', 'bash'],
    folders: ['bin', 'lib', 'src', 'scripts'],
    tests: [...PLAIN_TESTS, '**/*.bats'],
    detect: detectShell,
  },
]
