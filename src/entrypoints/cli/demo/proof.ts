import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findBest } from '../../../core/archive.ts'
import type { CampaignState } from '../../../core/campaign.ts'
import { candidateId } from '../../../core/candidate-id.ts'
import { compareValues } from '../../../core/objective.ts'
import { LoreleyError } from '../../../errors.ts'
import { createGitEnvironment, runGit } from '../../../git/command.ts'
import { renderNumber } from '../../../reports/numbers.ts'
import { eliteRef, eliteRefs } from '../../../store/layout.ts'
import { type Installation, REPO } from './installation.ts'

const run = promisify(execFile)

/** What GitHub itself shows of a finished campaign. */
export interface Shown {
  readonly elites: readonly string[]
  /** The address of each draft. */
  readonly pulls: readonly string[]
  readonly checks: number
  readonly dashboard: string | undefined
}

/** Asks the API, not the campaign's own state: what is claimed must be there for everybody to see. */
export async function lookAround(
  { maintainer }: Installation,
  state: CampaignState,
  issue: number,
): Promise<Shown> {
  const { id } = state.campaign
  const refs = await maintainer.request('GET /repos/{owner}/{repo}/git/matching-refs/{ref}', {
    ...REPO,
    ref: eliteRefs(id).slice('refs/'.length),
  })
  const pulls = await maintainer.request('GET /repos/{owner}/{repo}/pulls', REPO)
  const comments = await maintainer.request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
    ...REPO,
    issue_number: issue,
  })
  let checks = 0
  for (const { commit, ordinal } of state.ledger.tail) {
    if (commit === undefined || ordinal === 0) continue
    if ((await findCheckTitle(maintainer, commit, candidateId(id, ordinal))) !== undefined) checks += 1
  }
  return {
    elites: refs.data.map(({ ref }) => ref.slice('refs/heads/'.length)),
    pulls: pulls.data.filter(({ draft }) => draft === true).map(({ html_url }) => html_url),
    checks,
    dashboard: comments.data.find(({ body }) => body?.includes('Finished after'))?.html_url,
  }
}

/** What was found when the winner's branch was cloned and evaluated by hand. */
export interface HandMade {
  readonly branch: string
  readonly measured: number
  /** The headline of its check run. */
  readonly check: string
}

/** Clones the winner's branch and runs its evaluator, as a sceptical person would. */
export async function evaluateByHand(
  { repository, maintainer }: Installation,
  state: CampaignState,
  folder: string,
): Promise<HandMade> {
  const { campaign, config, archive } = state
  const best = findBest(archive, config.objectives)
  const place = archive.members().find(({ elite }) => elite === best)
  if (best === undefined || place === undefined) throw failed('The archive is empty.')
  const branch = eliteRef(campaign.id, place).slice('refs/heads/'.length)
  const clone = join(folder, 'by-hand')
  const environment = createGitEnvironment(process.env)
  await runGit({
    args: ['clone', '-q', '--depth=1', '--branch', branch, `${repository}.git`, clone],
    environment,
  })
  const { stdout } = await run(process.execPath, ['evaluate.mjs'], { cwd: clone })
  const metric = config.objectives[0]?.metric ?? ''
  const measured = Number(parseMetrics(stdout)[metric])
  const id = candidateId(campaign.id, best.ordinal)
  const check = (await findCheckTitle(maintainer, best.commit, id)) ?? 'nothing'
  if (!check.startsWith(`${metric} ${renderNumber(measured)} `))
    throw failed(`${branch}, evaluated by hand, gives ${metric} ${measured}; its check run says: ${check}.`)
  return { branch, measured, check }
}

/** Throws for the first promise that was not kept. */
export function assertKept(state: CampaignState, shown: Shown): void {
  const { campaign, config, archive } = state
  const best = findBest(archive, config.objectives)
  const isBetter =
    best !== undefined &&
    campaign.baseline !== undefined &&
    compareValues(best.value, campaign.baseline.value, config.objectives) > 0
  if (campaign.finished < config.limits.candidates)
    throw failed(`Only ${campaign.finished} of ${config.limits.candidates} candidates were tried.`)
  if (!isBetter) throw failed('No candidate is better than the baseline.')
  if (shown.elites.length < 3) throw failed(`Only ${shown.elites.length} niches are held by branches.`)
  if (shown.checks === 0) throw failed('No candidate has a check run.')
  if (shown.dashboard === undefined) throw failed('The issue has no dashboard that says it is finished.')
  if (shown.pulls.length === 0) throw failed('There is no draft pull request.')
}

async function findCheckTitle(
  maintainer: Installation['maintainer'],
  ref: string,
  id: string,
): Promise<string | undefined> {
  const { data } = await maintainer.request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
    ...REPO,
    ref,
  })
  return data.check_runs.find(({ external_id }) => external_id === id)?.output.title ?? undefined
}

function parseMetrics(stdout: string): Record<string, unknown> {
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>
}

function failed(message: string): LoreleyError {
  return new LoreleyError('demo-failed', message, 'Start again with --keep and look at the box in a browser.')
}
