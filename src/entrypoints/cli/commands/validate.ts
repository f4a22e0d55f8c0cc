import type { CampaignConfig } from '../../../config/campaign-config.ts'
import { readEmbedderKey } from '../../../config/environment/embedder-key.ts'
import { pickEnvironment } from '../../../config/environment/environment.ts'
import { CONFIG_FILE, loadConfigText } from '../../../config/file/load.ts'
import { findConfigProblems, parseConfig } from '../../../config/file/parse.ts'
import { renderProblem } from '../../../config/file/problem.ts'
import { type NoiseReport, reportNoise } from '../../../core/measuring/noise.ts'
import { LoreleyError } from '../../../errors.ts'
import { findCommit } from '../../../git/repository.ts'
import { localFolders } from '../../../local/local-folders.ts'
import { tryRoot } from '../../../local/try-root.ts'
import { renderNoiseReport } from '../../../reports/candidate/measurement-text.ts'
import { renderEvaluator, renderScope, reportEvaluator, reportScope } from '../evaluator-report.ts'
import { renderExposures, renderFailsApart, reportExposures } from '../exposure-report.ts'
import { print, printError, printJson } from '../print.ts'
import { findTop, hasWorkTree, type Session, withSession } from '../session.ts'

export interface ValidateOptions {
  readonly measure?: true
  readonly json?: true
}

/** `loreley validate`: all problems of the config with line, column and hint; with --measure also the noise. */
export async function validate(repo: string, { json, measure }: ValidateOptions): Promise<void> {
  const text = await loadConfigText(await findTop(repo))
  const problems = findConfigProblems(text)
  const valid = problems.length === 0
  process.exitCode = valid ? 0 : 2
  const campaigns = valid ? [...parseConfig(text, CONFIG_FILE).campaigns.values()] : []
  if (!json) {
    for (const problem of problems) printError(`${renderProblem(problem, CONFIG_FILE)}\n  ${problem.hint}`)
    if (valid) print(renderValid(campaigns))
    if (valid && (await hasWorkTree(repo)))
      await withSession(repo, (session) => listEvaluators(session, campaigns))
  }
  const tried =
    measure && valid ? await withSession(repo, (session) => tryAll(session, campaigns)) : undefined
  if (json) return printJson({ valid, problems, campaigns: tried })
  for (const trial of tried ?? []) print(renderTrial(trial))
}

function renderValid(campaigns: readonly CampaignConfig[]): string {
  const names = campaigns.map(({ name }) => name)
  return `${CONFIG_FILE} is valid: ${names.length === 1 ? 'campaign' : 'campaigns'} ${names.join(', ')}.`
}

async function listEvaluators(session: Session, campaigns: readonly CampaignConfig[]): Promise<void> {
  for (const config of campaigns) {
    const report = await reportEvaluator(session, config)
    print(`${report.isFound ? '' : 'Warning: '}${config.name}: ${renderEvaluator(report)}.`)
    const scope = await reportScope(session, config)
    const [count, ...exceptions] = renderScope(scope)
    print(`${scope.editable === 0 ? 'Warning: ' : ''}${config.name}: ${count}.`)
    for (const line of exceptions) print(`${config.name}: ${line}.`)
    for (const line of renderExposures(await reportExposures(session, config)))
      print(`Warning: ${config.name}: ${line}`)
  }
}

type Trial =
  | { readonly name: string; readonly noise: NoiseReport; readonly failsApart?: string | undefined }
  | { readonly name: string; readonly failed: string }

async function tryAll(session: Session, campaigns: readonly CampaignConfig[]): Promise<Trial[]> {
  const commit = await findCommit(session.git.repository, 'HEAD')
  if (commit === undefined)
    throw new LoreleyError('repository-empty', 'There is no commit to measure.', 'Commit your files first.')
  const trials: Trial[] = []
  for (const config of campaigns) trials.push(await tryOne(session, config, commit))
  const good = trials.every((trial) => 'noise' in trial && trial.noise.tooNoisy === undefined)
  process.exitCode = good ? 0 : 1
  return trials
}

async function tryOne({ git, host }: Session, config: CampaignConfig, commit: string): Promise<Trial> {
  const { name, objectives, evaluation } = config
  const abort = new AbortController()
  const stop = (): void => abort.abort()
  process.once('SIGINT', stop)
  try {
    const request = {
      git,
      config,
      folders: localFolders(git.repository, host.cacheFolder, name),
      home: host.home,
      path: host.path,
      passedEnvironment: pickEnvironment(evaluation.environment),
      embedderKey: readEmbedderKey(config),
      signal: abort.signal,
    }
    const { measured, failsApart } = await tryRoot(request, commit)
    if (measured.status === 'aborted') return { name, failed: 'it was interrupted' }
    if (measured.status === 'failed') return { name, failed: `${measured.reason}: ${measured.detail}` }
    const noise = reportNoise(
      measured.samples.filter(({ stage }) => stage === 'full').map(({ metrics }) => metrics),
      objectives,
      evaluation,
    )
    if (noise === undefined) return { name, failed: 'a run is outside the declared bounds' }
    return { name, noise, failsApart }
  } finally {
    process.off('SIGINT', stop)
  }
}

function renderTrial(trial: Trial): string {
  if ('failed' in trial) return `${trial.name}: the root cannot be measured: ${trial.failed}`
  const { name, noise, failsApart } = trial
  const lines = [`${name}:`, ...renderNoiseReport(noise).map((line) => `  ${line}`)]
  if (failsApart !== undefined) lines.push(`Warning: ${name}: ${renderFailsApart(failsApart)}`)
  return lines.join('\n')
}
