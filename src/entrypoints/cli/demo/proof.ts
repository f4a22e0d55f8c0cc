import { join } from 'node:path'
import { findBest } from '../../../core/archive/archive.ts'
import type { CampaignState } from '../../../core/campaign/campaign.ts'
import { candidateId } from '../../../core/candidate/candidate-id.ts'
import { compareValues } from '../../../core/measuring/objective.ts'
import { LoreleyError } from '../../../errors.ts'
import { renderNumber } from '../../../reports/numbers.ts'
import { eliteRefs } from '../../../store/layout.ts'
import { branchOf, cloneBranch, evaluate } from './by-hand.ts'
import type { Site } from './installation.ts'

/** What GitHub shows of a finished campaign. */
export interface Shown {
  readonly elites: readonly string[]
  /** The address of each draft. */
  readonly pulls: readonly string[]
  readonly checks: number
  readonly dashboard: string | undefined
}

/** A finished campaign, and what GitHub shows of it. */
export interface Played {
  readonly state: CampaignState
  readonly issue: number
  readonly shown: Shown
}

/** Asks the API, not the campaign's state: every claim must be visible to everybody. */
export async function readShown(site: Site, state: CampaignState, issue: number): Promise<Shown> {
  const { maintainer, repo } = site
  const { id } = state.campaign
  const refs = await maintainer.request('GET /repos/{owner}/{repo}/git/matching-refs/{ref}', {
    ...repo,
    ref: eliteRefs(id).slice('refs/'.length),
  })
  const pulls = await maintainer.request('GET /repos/{owner}/{repo}/pulls', repo)
  const comments = await maintainer.request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
    ...repo,
    issue_number: issue,
  })
  let checks = 0
  for (const { commit, ordinal } of state.ledger.tail) {
    if (commit === undefined || ordinal === 0) continue
    if ((await findCheckTitle(site, commit, candidateId(id, ordinal))) !== undefined) checks += 1
  }
  return {
    elites: refs.data.map(({ ref }) => ref.slice('refs/heads/'.length)),
    pulls: pulls.data.filter(({ draft }) => draft === true).map(({ html_url }) => html_url),
    checks,
    dashboard: comments.data.find(({ body }) => body?.includes('Finished after'))?.html_url,
  }
}

/** The result of evaluating a clone of the winner's branch by hand. */
export interface HandMade {
  readonly branch: string
  readonly measured: number
  /** The headline of its check run. */
  readonly check: string
}

/** Clones the winner's branch and runs its evaluator, as a sceptic would. */
export async function evaluateByHand(site: Site, state: CampaignState, folder: string): Promise<HandMade> {
  const { campaign, config, archive } = state
  const best = findBest(archive, config.objectives)
  if (best === undefined) throw failed('The archive is empty.')
  const branch = branchOf(state, best)
  const clone = join(folder, 'by-hand')
  await cloneBranch(site, branch, clone)
  const metric = config.objectives[0]?.metric ?? ''
  const measured = await evaluate(clone, metric)
  const id = candidateId(campaign.id, best.ordinal)
  const check = (await findCheckTitle(site, best.commit, id)) ?? 'nothing'
  if (!check.startsWith(`${metric} ${renderNumber(measured)} `))
    throw failed(
      `Evaluated by hand, ${branch} gives ${metric} ${measured}, but its check run says: ${check}.`,
    )
  return { branch, measured, check }
}

/** Throws for the first broken promise. */
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
  if (best.heldOut === undefined) throw failed('The best was not measured on held-out inputs.')
  if (shown.elites.length < 3) throw failed(`Only ${shown.elites.length} elites have branches.`)
  if (shown.checks === 0) throw failed('No candidate has a check run.')
  if (shown.dashboard === undefined)
    throw failed('The dashboard on the issue does not say that the campaign has finished.')
  if (shown.pulls.length === 0) throw failed('There is no draft pull request.')
}

async function findCheckTitle(
  { maintainer, repo }: Site,
  ref: string,
  id: string,
): Promise<string | undefined> {
  const { data } = await maintainer.request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
    ...repo,
    ref,
  })
  return data.check_runs.find(({ external_id }) => external_id === id)?.output.title ?? undefined
}

export function failed(message: string): LoreleyError {
  return new LoreleyError(
    'demo-failed',
    message,
    'Start again with --keep and look at the sandbox in a browser.',
  )
}
