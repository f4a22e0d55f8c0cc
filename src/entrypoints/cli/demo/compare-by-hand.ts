import { join } from 'node:path'
import { median } from 'simple-statistics'
import type { Elite } from '../../../core/archive/archive.ts'
import type { CampaignState } from '../../../core/campaign/campaign.ts'
import { branchOf, cloneBranch, evaluate } from './by-hand.ts'
import type { Site } from './installation.ts'

const BLOCKS = 3
const BLOCK = ['root', 'candidate', 'candidate', 'root'] as const

/** The result of running clones of winner and root by hand, interleaved. */
export interface HandCompared {
  readonly branch: string
  readonly winner: readonly number[]
  readonly root: readonly number[]
  /** The median of the pairs' ratios, winner to root. */
  readonly ratio: number
  /** The campaign's own interval for it. */
  readonly low: number
  readonly high: number
}

/** Clones both and runs the evaluator interleaved, as a sceptic would. Noise affects this, too. */
export async function compareByHand(
  site: Site,
  state: CampaignState,
  { winner, folder }: { readonly winner: Elite; readonly folder: string },
): Promise<HandCompared> {
  const metric = state.config.objectives[0]?.metric ?? ''
  const branch = branchOf(state, winner)
  const clones = { candidate: join(folder, 'winner'), root: join(folder, 'root') }
  await cloneBranch(site, branch, clones.candidate)
  await cloneBranch(site, 'main', clones.root)
  const runs: { candidate: number[]; root: number[] } = { candidate: [], root: [] }
  for (let block = 0; block < BLOCKS; block += 1)
    for (const who of BLOCK) runs[who].push(await evaluate(clones[who], metric))
  const root = state.campaign.baseline?.value[0] ?? Number.NaN
  return {
    branch,
    winner: runs.candidate,
    root: runs.root,
    ratio: median(runs.candidate.map((number, index) => number / (runs.root[index] ?? Number.NaN))),
    low: (winner.interval?.low[0] ?? Number.NaN) / root,
    high: (winner.interval?.high[0] ?? Number.NaN) / root,
  }
}
