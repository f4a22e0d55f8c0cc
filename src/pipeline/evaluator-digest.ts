import type { EvaluationConfig } from '../config/campaign-config.ts'
import { digestOf } from '../config/digest.ts'
import type { TreeFile } from '../git/listing.ts'
import { createEvaluatorTest, findEvaluatorFiles } from '../guard/evaluator-files.ts'

const LOCKFILE =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|uv\.lock|Pipfile\.lock|requirements[\w.-]*\.txt|Cargo\.lock|go\.sum|Gemfile\.lock|composer\.lock|gradle\.lockfile)$/

/** SHA-256 of what measures: the commands, the evaluator's own files, and the lockfiles. Equal digests, comparable figures. */
export function digestEvaluator(evaluation: EvaluationConfig, rootFiles: readonly TreeFile[]): string {
  const tracked = new Set(rootFiles.map(({ path }) => path))
  const isEvaluator = createEvaluatorTest(findEvaluatorFiles(evaluation, tracked))
  const files = rootFiles.filter(({ path }) => isEvaluator(path) || LOCKFILE.test(path))
  return digestOf({
    setup: evaluation.setup,
    gates: evaluation.gates.map(({ command }) => command),
    quick: evaluation.quick?.command,
    command: evaluation.command,
    heldOut: evaluation.heldOut?.command,
    output: evaluation.output,
    blobs: Object.fromEntries(files.map(({ path, blob }) => [path, blob])),
  })
}
