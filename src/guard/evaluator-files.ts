import type { EvaluationConfig } from '../config/campaign-config.ts'
import { createPathMatcher, type PathMatcher } from './path-patterns.ts'

// Commands that run what a manifest defines: editing the manifest would edit the evaluator.
const SCRIPT_RUNNERS: readonly (readonly [pattern: RegExp, manifests: readonly string[]])[] = [
  [/^(npm|npx|pnpm|yarn|bun)$/, ['package.json']],
  [/^(make|gmake)$/, ['Makefile', 'makefile', 'GNUmakefile']],
  [
    /^(pytest|tox|nox|hatch|poetry|uv|pdm)$/,
    ['pyproject.toml', 'setup.cfg', 'tox.ini', 'pytest.ini', 'noxfile.py', 'conftest.py'],
  ],
  [/^cargo$/, ['Cargo.toml']],
  [/^go$/, ['go.mod']],
  [/^(mvn|mvnw)$/, ['pom.xml']],
  [/^(gradle|gradlew)$/, ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts']],
  [/^(rake|bundle)$/, ['Rakefile', 'Gemfile']],
  [/^composer$/, ['composer.json']],
  [/^(just)$/, ['justfile', 'Justfile']],
]

/**
 * The paths that the evaluation is made of: what the config lists, every word of a measuring command that is a tracked
 * path, the manifests behind script runners such as `npm run`, and the held-out paths. Gates often start what
 * candidates are to change: where the config lists files, those that only a gate names are not guessed.
 */
export function findEvaluatorFiles(evaluation: EvaluationConfig, tracked: ReadonlySet<string>): string[] {
  const { files = [], gates, quick, heldOut } = evaluation
  const stages = [evaluation, quick, heldOut, ...(evaluation.files === undefined ? gates : [])]
  const commands = stages.flatMap((stage) => stage?.command ?? [])
  return [...new Set([...files, ...findNamedFiles(commands, tracked), ...(heldOut?.paths ?? [])])].sort()
}

/** Tells what belongs to the evaluator: the files, folders and globs of such a list, each from the root. */
export function createEvaluatorTest(files: readonly string[]): PathMatcher {
  return createPathMatcher(files, { ignoreCase: true, anchored: true })
}

function findNamedFiles(commands: readonly string[], tracked: ReadonlySet<string>): string[] {
  const words = commands.flatMap((line) => line.split(/[\s'"`;|&()<>=]+/)).map(withoutPrefix)
  const manifests = words.flatMap((word) =>
    SCRIPT_RUNNERS.flatMap(([pattern, files]) => (pattern.test(word) ? files : [])),
  )
  return [...words, ...manifests].filter((path) => tracked.has(path))
}

function withoutPrefix(word: string): string {
  return word.replace(/^\$\{?LORELEY_TRUSTED\}?\//, '').replace(/^\.\//, '')
}
