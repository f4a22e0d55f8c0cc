import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CampaignConfig } from '../../config/campaign-config.ts'
import { listWorkFiles } from '../../git/repository.ts'
import { createCampaignGuard } from '../../guard/campaign-guard.ts'
import { findEvaluatorFiles, isRunnerFile } from '../../guard/evaluator/evaluator-files.ts'
import { findScopeExceptions, type ScopeException } from '../../guard/scope-exceptions.ts'
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

/** What candidates may change in the work tree. */
export interface ScopeReport {
  readonly editable: number
  readonly exceptions: readonly ScopeException[]
}

/** Reads the scope of a campaign as its guard will. */
export async function reportScope(
  { folder, git }: Pick<Session, 'folder' | 'git'>,
  config: Pick<CampaignConfig, 'evaluation' | 'scope'>,
): Promise<ScopeReport> {
  const paths = await listWorkFiles(git.repository)
  const files = paths.map((path) => ({ path, blob: path, mode: '100644' }))
  const read = (path: string) => readFile(join(folder, path), 'utf8').catch(() => '')
  const guard = await createCampaignGuard(config, files, read)
  return {
    editable: paths.filter((path) => guard.isEditable(path)).length,
    exceptions: findScopeExceptions(guard, paths),
  }
}

const SHOWN_PATHS = 10

/** The report in lines. */
export function renderScope({ editable, exceptions }: ScopeReport): string[] {
  const count = `${editable} ${editable === 1 ? 'file' : 'files'} may be changed`
  return [
    editable === 0 ? 'no file of the repository may be changed; check scope.editable' : count,
    ...exceptions.map(({ why, paths }) => {
      const more = paths.length > SHOWN_PATHS ? ` and ${paths.length - SHOWN_PATHS} more` : ''
      return `protected although scope.editable matches, as ${why}: ${paths.slice(0, SHOWN_PATHS).join(', ')}${more}`
    }),
  ]
}
