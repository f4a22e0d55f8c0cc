import { readFullCommit } from '../../git/objects/commits.ts'
import { type Artifact, type Job, type Run, runs, type Workflow } from '../actions/documents.ts'
import type { Box } from '../box.ts'
import { nodeId } from '../format.ts'
import { Fields } from '../http/fields.ts'
import { pullLinks } from '../pulls/pull-view.ts'
import { stampView } from '../repos/commit-view.ts'
import { minimalRepositoryView, repoApiUrl, repoHtmlUrl } from '../repos/repository-view.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import { loginView } from '../users/user-view.ts'
import { isExpired } from './artifacts/artifacts.ts'

export function workflowView(box: Box, repo: RepositoryDocument, workflow: Workflow) {
  const html = repoHtmlUrl(box, repo)
  return {
    id: workflow.id,
    node_id: nodeId('W', workflow.id),
    name: workflow.name,
    path: workflow.path,
    state: workflow.state,
    created_at: workflow.createdAt,
    updated_at: workflow.updatedAt,
    url: `${repoApiUrl(box, repo)}/actions/workflows/${workflow.id}`,
    html_url: `${html}/blob/${repo.defaultBranch}/${workflow.path}`,
    badge_url: `${html}/workflows/${encodeURIComponent(workflow.name)}/badge.svg`,
    ...(workflow.state === 'deleted' ? { deleted_at: workflow.updatedAt } : {}),
  }
}

/** The run's address in the API. */
export function runApiUrl(box: Box, repo: RepositoryDocument, run: Run): string {
  return `${repoApiUrl(box, repo)}/actions/runs/${run.id}`
}

/** The run's address on the web page. */
export function runHtmlUrl(box: Box, repo: RepositoryDocument, run: Run): string {
  return `${repoHtmlUrl(box, repo)}/actions/runs/${run.id}`
}

/** A run, or an earlier attempt of it. */
export async function runView(box: Box, repo: RepositoryDocument, run: Run) {
  const api = repoApiUrl(box, repo)
  const url = runApiUrl(box, repo, run)
  const repository = minimalRepositoryView(box, repo)
  return {
    id: run.id,
    name: run.name,
    node_id: nodeId('WFR', run.id),
    check_suite_id: run.checkSuiteId,
    check_suite_node_id: nodeId('CS', run.checkSuiteId),
    head_branch: branchOf(run),
    head_sha: run.headSha,
    path: run.path,
    display_title: run.displayTitle,
    run_number: run.number,
    run_attempt: run.attempt,
    event: run.event,
    status: run.status,
    conclusion: run.conclusion,
    workflow_id: run.workflowId,
    url,
    html_url: runHtmlUrl(box, repo, run),
    pull_requests: pullLinks(box, repo, run.headSha),
    referenced_workflows: [],
    created_at: run.createdAt,
    updated_at: run.updatedAt,
    actor: loginView(box, run.actor),
    triggering_actor: loginView(box, run.triggeringActor),
    run_started_at: run.startedAt,
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${api}/check-suites/${run.checkSuiteId}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: run.attempt === 1 ? null : `${url}/attempts/${run.attempt - 1}`,
    workflow_url: `${api}/actions/workflows/${run.workflowId}`,
    head_commit: await headCommitView(box, run),
    repository,
    head_repository: repository,
  }
}

/** The short name of the run's branch or tag. For a pull request, its head branch. */
export function branchOf(run: Run): string {
  const head = new Fields(run.payload).findObject('pull_request')?.findObject('head')?.findText('ref')
  if (run.mergeSha !== undefined && head !== undefined) return head
  return run.ref.replace(/^refs\/(heads|tags)\//, '')
}

async function headCommitView(box: Box, run: Run) {
  const git = await box.git.get(run.repositoryId)
  const commit = await readFullCommit(git.objects, run.headSha)
  const author = stampView(commit.author)
  const committer = stampView(commit.committer)
  return {
    id: commit.id,
    tree_id: commit.tree,
    message: commit.message.trimEnd(),
    timestamp: committer.date,
    author: { name: author.name, email: author.email },
    committer: { name: committer.name, email: committer.email },
  }
}

export function jobView(
  box: Box,
  repo: RepositoryDocument,
  { job, run }: { readonly job: Job; readonly run: Run },
) {
  const api = repoApiUrl(box, repo)
  const taken = job.runnerName !== null
  return {
    id: job.id,
    run_id: job.runId,
    workflow_name: run.name,
    head_branch: branchOf(run),
    run_url: runApiUrl(box, repo, run),
    run_attempt: job.attempt,
    node_id: nodeId('CR', job.id),
    head_sha: run.headSha,
    url: `${api}/actions/jobs/${job.id}`,
    html_url: `${runHtmlUrl(box, repo, run)}/job/${job.id}`,
    status: job.status,
    conclusion: job.conclusion,
    created_at: job.createdAt,
    started_at: job.startedAt,
    completed_at: job.completedAt,
    name: job.name,
    steps: job.steps.map((step) => ({
      name: step.name,
      status: step.status,
      conclusion: step.conclusion,
      number: step.number,
      started_at: step.startedAt,
      completed_at: step.completedAt,
    })),
    check_run_url: `${api}/check-runs/${job.id}`,
    labels: job.labels,
    runner_id: taken ? 1 : null,
    runner_name: job.runnerName,
    runner_group_id: taken ? 0 : null,
    runner_group_name: taken ? 'GitHub Actions' : null,
  }
}

export function artifactView(box: Box, repo: RepositoryDocument, artifact: Artifact) {
  const url = `${repoApiUrl(box, repo)}/actions/artifacts/${artifact.id}`
  const run = runs(box.store).find(artifact.runId)
  return {
    id: artifact.id,
    node_id: nodeId('A', artifact.id),
    name: artifact.name,
    size_in_bytes: artifact.sizeBytes,
    url,
    archive_download_url: `${url}/zip`,
    expired: isExpired(box, artifact),
    digest: artifact.digest,
    created_at: artifact.createdAt,
    updated_at: artifact.createdAt,
    expires_at: artifact.expiresAt,
    workflow_run: {
      id: artifact.runId,
      repository_id: repo.id,
      head_repository_id: repo.id,
      ...(run === undefined ? {} : { head_branch: branchOf(run), head_sha: run.headSha }),
    },
  }
}
