import type { Job, JobResult } from '../core/campaign/job.ts'
import { candidateId } from '../core/candidate/candidate-id.ts'
import { renderCommitMessage } from '../core/candidate/commit-message.ts'
import { writeCommit } from '../git/objects/commits.ts'
import { runCandidate } from '../pipeline/run-candidate.ts'
import { assembleResult, type MeasuredProposal } from '../protocol/job-result.ts'
import { LOCAL_IDENTITY } from '../store/local-store.ts'
import type { LocalHost } from './local-host.ts'

/** Runs one job to its result. Undefined when it was aborted: the job stays open. */
export async function runJob(
  tools: LocalHost,
  job: Job,
  signal: AbortSignal,
): Promise<JobResult | undefined> {
  const run = await runCandidate(tools.context, job, { proposing: tools, measuring: tools }, signal)
  if (run.status !== 'done') return undefined
  tools.keepTranscript(job.ordinal, run.transcript)
  return await assembleResult(job, run, async (proposed) => ({
    status: 'made',
    commit: await commitCandidate(tools, job, proposed),
  }))
}

// The same search gives the same commits: a fixed identity, and the root's date plus one second per ordinal.
async function commitCandidate(
  tools: LocalHost,
  job: Job,
  { tree, summary, card, models }: MeasuredProposal,
): Promise<string> {
  const candidate = candidateId(tools.campaign, job.ordinal)
  const { name: agent } = tools.agent
  const said = { campaign: tools.campaign, candidate, job, agent, summary, card, models }
  return await writeCommit(tools.git.objects, {
    tree,
    parents: [job.parent.commit],
    message: renderCommitMessage(said),
    identity: LOCAL_IDENTITY,
    seconds: tools.root.seconds + job.ordinal,
  })
}
