import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Elite } from '../../../core/archive/archive.ts'
import type { CampaignState } from '../../../core/campaign/campaign.ts'
import { createGitEnvironment, runGit } from '../../../git/command.ts'
import { eliteRef } from '../../../store/layout.ts'
import type { Site } from './installation.ts'

const run = promisify(execFile)

/** The branch of an elite. */
export function branchOf({ campaign, archive }: CampaignState, wanted: Elite): string {
  const member = archive.members().find(({ elite }) => elite === wanted)
  if (member === undefined) throw new RangeError('branchOf: not an elite')
  return eliteRef(campaign.id, member).slice('refs/heads/'.length)
}

export async function cloneBranch({ url }: Site, branch: string, to: string): Promise<void> {
  const environment = createGitEnvironment(process.env)
  await runGit({ args: ['clone', '-q', '--depth=1', '--branch', branch, `${url}.git`, to], environment })
}

/** Runs the evaluator of a clone, and reads one metric. */
export async function evaluate(clone: string, metric: string): Promise<number> {
  const { stdout } = await run(process.execPath, ['evaluate.mjs'], { cwd: clone })
  return Number(parseMetrics(stdout)[metric])
}

function parseMetrics(stdout: string): Record<string, unknown> {
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>
}
