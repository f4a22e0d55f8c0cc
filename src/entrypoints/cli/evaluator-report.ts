import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CampaignConfig } from '../../config/campaign-config.ts'
import { listWorkFiles } from '../../git/repository.ts'
import { findEvaluatorFiles, isRunnerFile } from '../../guard/evaluator/evaluator-files.ts'
import type { Session } from './session.ts'

/** The evaluator files of a campaign. */
export interface EvaluatorReport {
  readonly files: readonly string[]
  /** Whether they include more than a manifest; if not, candidates could edit what measures them. */
  readonly isFound: boolean
}

/** Finds the files of the work tree that no candidate may change because they measure. */
export async function reportEvaluator(
  { folder, git }: Pick<Session, 'folder' | 'git'>,
  { evaluation }: Pick<CampaignConfig, 'evaluation'>,
): Promise<EvaluatorReport> {
  const paths = await listWorkFiles(git.repository)
  const files = await findEvaluatorFiles(
    evaluation,
    paths.map((path) => ({ path, blob: path })),
    // A file missing from the work tree defines no script.
    (path) => readFile(join(folder, path), 'utf8').catch(() => ''),
  )
  return { files, isFound: files.some((path) => !isRunnerFile(path)) }
}

/** The report in one sentence. */
export function renderEvaluator({ files, isFound }: EvaluatorReport): string {
  const names = files.length === 0 ? 'none' : files.join(', ')
  const advice = isFound
    ? ''
    : '. Candidates may edit any other file that measures them. List such files under evaluation.files, or keep them out of scope.editable'
  return `evaluator files that no candidate may change: ${names}${advice}`
}
