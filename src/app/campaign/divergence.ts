import type { CampaignState } from '../../core/campaign/campaign.ts'
import type { UnpublishedRef } from '../../core/campaign/control.ts'
import type { CampaignEvent } from '../../core/campaign/events.ts'
import { RefUpdates } from '../../github/git/ref-updates.ts'
import type { Finding } from '../../github/preflight/finding.ts'
import { checkDiverged } from '../../github/preflight/workflow.ts'
import { readCommit } from '../../github/repository-facts.ts'
import type { Snapshot } from '../../store/state-store.ts'
import type {
  ApiPort,
  DefaultBranchPort,
  ElitesPort,
  StatePort,
  TreesPort,
  WorkflowPermissionPort,
} from '../ports.ts'

export type DivergencePorts = ApiPort &
  StatePort &
  TreesPort &
  ElitesPort &
  DefaultBranchPort &
  WorkflowPermissionPort

export const WORKFLOWS_FOLDER = '.github/workflows/'

/** Why GitHub may refuse refs to a campaign's commits; undefined if workflow files are not the reason. */
export async function findDivergence(
  { api, trees, defaultBranch, mayWriteWorkflows }: DivergencePorts,
  { campaign }: CampaignState,
): Promise<Finding | undefined> {
  if (await mayWriteWorkflows()) return undefined
  const head = await new RefUpdates(api, 'state').find(`refs/heads/${defaultBranch}`)
  if (head === undefined) return undefined
  const { tree } = await readCommit(api, head)
  const finding = await checkDiverged(trees, { root: campaign.root.tree, now: tree })
  return finding.state === 'ok' ? undefined : finding
}

/** The news for a campaign about refs that are refused, or no longer are. */
export async function findRefusals(
  ports: DivergencePorts,
  { state }: Snapshot,
  refs: readonly UnpublishedRef[],
): Promise<readonly CampaignEvent[]> {
  const { id, root, control, status } = state.campaign
  const known = new Set((control.unpublished ?? []).map(keyOf))
  const added = refs.filter((each) => !known.has(keyOf(each)))
  const told: CampaignEvent[] =
    added.length > 0 || known.size > refs.length ? [{ type: 'unpublished', refs }] : []
  // A new rule may apply to branches. Then elites move to other refs.
  if (added.some(({ reason }) => reason === 'refused'))
    await ports.eliteNamespaces.lookAgain({ campaign: id, root })
  const diverged = refs.filter(({ reason }) => reason === 'workflows-diverged')
  const [first] = diverged
  const isAtRest = status.phase === 'paused' || status.phase === 'finished'
  if (first === undefined || isAtRest || (await findDivergence(ports, state)) === undefined) return told
  const detail = `GitHub refused ${diverged.length} refs, such as ${first.ref} (${first.detail})`
  return [...told, { type: 'hold', reason: 'workflows-diverged', detail }]
}

function keyOf({ ref, commit, reason }: UnpublishedRef): string {
  return `${ref} ${commit ?? ''} ${reason}`
}
