import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CampaignConfig } from '../../config/campaign-config.ts'
import { listWorkFiles } from '../../git/repository.ts'
import { findEvaluatorFiles, isRunnerFile } from '../../guard/evaluator/evaluator-files.ts'
import type { Session } from './session.ts'

/** What counts as a campaign's evaluator. */
export interface EvaluatorReport {
  readonly files: readonly string[]
  /** Whether more than a manifest does; otherwise candidates could edit what measures them. */
  readonly isFound: boolean
}

/** Looks at the work tree for what no candidate may change because it measures. */
export async function reportEvaluator(
  { folder, git }: Pick<Session, 'folder' | 'git'>,
  { evaluation }: Pick<CampaignConfig, 'evaluation'>,
): Promise<EvaluatorReport> {
  const paths = await listWorkFiles(git.repository)
  const files = await findEvaluatorFiles(
    evaluation,
    paths.map((path) => ({ path, blob: path })),
    // A file that is gone from the work tree defines no script.
    (path) => readFile(join(folder, path), 'utf8').catch(() => ''),
  )
  return { files, isFound: files.some((path) => !isRunnerFile(path)) }
}

/** One sentence of it. */
export function renderEvaluator({ files, isFound }: EvaluatorReport): string {
  const names = files.length === 0 ? 'none' : files.join(', ')
  const advice = isFound
    ? ''
    : '. Candidates may edit whatever else measures them: list it under evaluation.files, or keep it out of scope.editable'
  return `what no candidate may change because it measures: ${names}${advice}`
}
