import type { CampaignConfig } from '../../config/campaign-config.ts'
import { digestOf } from '../../config/digest.ts'
import { isLockfile } from '../paths/manifests.ts'
import { createEvaluatorTest, findEvaluatorFiles } from './evaluator-files.ts'

/**
 * SHA-256 of what measures: the commands and what they may see, the evaluator's own files, the lockfiles, and what is
 * read out of it. Equal digests, comparable figures; another digest, another epoch.
 */
export async function digestEvaluator(
  { evaluation, objectives }: Pick<CampaignConfig, 'evaluation' | 'objectives'>,
  rootFiles: readonly { readonly path: string; readonly blob: string }[],
  readText: (blob: string) => Promise<string>,
): Promise<string> {
  const isEvaluator = createEvaluatorTest(await findEvaluatorFiles(evaluation, rootFiles, readText))
  const files = rootFiles.filter(({ path }) => isEvaluator(path) || isLockfile(path))
  return digestOf({
    setup: evaluation.setup,
    gates: evaluation.gates.map(({ command }) => command),
    quick: evaluation.quick && { command: evaluation.quick.command, tolerance: evaluation.quick.tolerance },
    command: evaluation.command,
    heldOut: evaluation.heldOut?.command,
    output: evaluation.output,
    environment: evaluation.environment,
    isolation: evaluation.isolation,
    network: evaluation.network,
    // When to stop says nothing about the numbers.
    objectives: objectives.map(({ target: _target, ...objective }) => objective),
    blobs: Object.fromEntries(files.map(({ path, blob }) => [path, blob])),
  })
}
