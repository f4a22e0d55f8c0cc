import type { CampaignConfig } from '../config/campaign-config.ts'
import { findEvaluatorFiles } from './evaluator/evaluator-files.ts'
import { createGuard, type Guard } from './guard.ts'

/** A file of the campaign's root. */
interface RootFile {
  readonly path: string
  readonly mode: string
  readonly blob: string
}

/** The guard of a campaign: its scope, its evaluator's files, and the root's own ignore and attribute rules. */
export async function createCampaignGuard(
  { scope, evaluation }: Pick<CampaignConfig, 'scope' | 'evaluation'>,
  rootFiles: readonly RootFile[],
  readText: (blob: string) => Promise<string>,
): Promise<Guard> {
  const ruleFiles = rootFiles.filter(
    ({ path, mode }) => mode.startsWith('100') && /(^|\/)\.git(ignore|attributes)$/.test(path),
  )
  const { maxChangeBytes, ...limits } = scope
  return createGuard({
    ...limits,
    maxTotalBytes: maxChangeBytes,
    evaluatorFiles: await findEvaluatorFiles(evaluation, rootFiles, readText),
    rootPaths: rootFiles.map(({ path }) => path),
    baseRules: await Promise.all(
      ruleFiles.map(async ({ path, blob }) => ({ path, text: await readText(blob) })),
    ),
  })
}
