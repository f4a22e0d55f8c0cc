import type { CampaignConfig } from '../../config/campaign-config.ts'
import { digestOf } from '../../config/digest.ts'
import { isLockfile } from '../paths/manifests.ts'
import { createEvaluatorTest, findEvaluatorFiles } from './evaluator-files.ts'

/**
 * SHA-256 of the evaluation: the commands and their environment, the evaluator's files, the lockfiles and the objectives.
 * Figures with equal digests are comparable; a new digest starts a new epoch.
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
    gates: evaluation.gates.map(({ command, expect }) =>
      expect === undefined ? command : { command, expect },
    ),
    quick: evaluation.quick && { command: evaluation.quick.command, tolerance: evaluation.quick.tolerance },
    command: evaluation.command,
    heldOut: evaluation.heldOut?.command,
    output: evaluation.output,
    environment: evaluation.environment,
    isolation: evaluation.isolation,
    network: evaluation.network,
    // A target does not affect the numbers.
    objectives: objectives.map(({ target: _target, ...objective }) => objective),
    blobs: Object.fromEntries(files.map(({ path, blob }) => [path, blob])),
  })
}
