import type { EvaluationConfig } from '../config/campaign-config.ts'

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
 * The tracked files that the evaluation's commands are made of: what the config lists, else every word of
 * the commands that is a tracked path, and the manifests behind script runners such as `npm run`.
 */
export function findEvaluatorFiles(evaluation: EvaluationConfig, tracked: ReadonlySet<string>): string[] {
  if (evaluation.files !== undefined) return [...evaluation.files]
  const lines = [evaluation.command, ...evaluation.gates.map((gate) => gate.command)]
  const words = lines.flatMap((line) => line.split(/[\s'"`;|&()<>=]+/)).map(withoutPrefix)
  const manifests = words.flatMap((word) =>
    SCRIPT_RUNNERS.flatMap(([pattern, files]) => (pattern.test(word) ? files : [])),
  )
  return [...new Set([...words, ...manifests])].filter((path) => tracked.has(path)).sort()
}

function withoutPrefix(word: string): string {
  return word.replace(/^\$\{?LORELEY_TRUSTED\}?\//, '').replace(/^\.\//, '')
}
