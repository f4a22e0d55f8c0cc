import { readFullCommit } from '../../git/objects/commits.ts'
import { appView } from '../apps/app-routes.ts'
import type { Box } from '../box.ts'
import { nodeId } from '../format.ts'
import { pullLinks } from '../pulls/pull-view.ts'
import { stampView } from '../repos/commit-view.ts'
import { minimalRepositoryView, repoApiUrl, repoHtmlUrl } from '../repos/repository-view.ts'
import { apps, type RepositoryDocument } from '../state/documents.ts'
import {
  type Annotation,
  annotations,
  type CheckRun,
  type CheckSuite,
  checkSuites,
  latestRuns,
  runsOf,
} from './checks.ts'

/** GitHub's JSON for a check run. */
export function checkRunView(box: Box, repo: RepositoryDocument, run: CheckRun) {
  const url = `${repoApiUrl(box, repo)}/check-runs/${run.id}`
  const html = `${repoHtmlUrl(box, repo)}/runs/${run.id}`
  return {
    id: run.id,
    name: run.name,
    node_id: nodeId('CR', run.id),
    head_sha: run.headSha,
    external_id: run.externalId,
    url,
    html_url: html,
    details_url: run.detailsUrl ?? html,
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    output: {
      title: run.output.title,
      summary: run.output.summary,
      text: run.output.text,
      annotations_count: annotations(box.store).find(run.id)?.length ?? 0,
      annotations_url: `${url}/annotations`,
    },
    check_suite: { id: run.suiteId },
    app: appOf(box, run.appId),
    pull_requests: pullLinks(box, repo, run.headSha),
  }
}

/** The webhook form, with more fields of the suite. */
export function checkRunEventView(box: Box, repo: RepositoryDocument, run: CheckRun) {
  const suite = checkSuites(box.store).find(run.suiteId)
  const whole = checkRunView(box, repo, run)
  return {
    ...whole,
    check_suite: suite === undefined ? whole.check_suite : suiteFacts(box, repo, suite),
  }
}

/** GitHub's JSON for a check suite, in answers and webhooks. */
export async function checkSuiteView(box: Box, repo: RepositoryDocument, suite: CheckSuite) {
  const git = await box.git.get(repo.id)
  const commit = await readFullCommit(git.objects, suite.headSha)
  const facts = suiteFacts(box, repo, suite)
  const person = ({ name, email }: { name: string; email: string }) => ({ name, email })
  return {
    ...facts,
    repository: minimalRepositoryView(box, repo),
    rerequestable: true,
    runs_rerequestable: true,
    latest_check_runs_count: latestRuns(runsOf(box.store, suite)).length,
    check_runs_url: `${facts.url}/check-runs`,
    head_commit: {
      id: commit.id,
      tree_id: commit.tree,
      message: commit.message.trimEnd(),
      timestamp: stampView(commit.committer).date,
      author: person(commit.author),
      committer: person(commit.committer),
    },
  }
}

function suiteFacts(box: Box, repo: RepositoryDocument, suite: CheckSuite) {
  return {
    id: suite.id,
    node_id: nodeId('CS', suite.id),
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    status: suite.status,
    conclusion: suite.conclusion,
    url: `${repoApiUrl(box, repo)}/check-suites/${suite.id}`,
    before: suite.before,
    after: suite.headSha,
    pull_requests: pullLinks(box, repo, suite.headSha),
    app: appOf(box, suite.appId),
    created_at: suite.createdAt,
    updated_at: suite.updatedAt,
  }
}

function appOf(box: Box, appId: number) {
  const app = apps(box.store).find(appId)
  return app === undefined ? null : appView(box, app)
}

/** GitHub's JSON for an annotation. */
export function annotationView(box: Box, repo: RepositoryDocument, sha: string, annotation: Annotation) {
  const path = annotation.path.split('/').map(encodeURIComponent).join('/')
  return {
    path: annotation.path,
    start_line: annotation.startLine,
    end_line: annotation.endLine,
    start_column: annotation.startColumn,
    end_column: annotation.endColumn,
    annotation_level: annotation.level,
    title: annotation.title,
    message: annotation.message,
    raw_details: annotation.rawDetails,
    blob_href: `${repoHtmlUrl(box, repo)}/blob/${sha}/${path}`,
  }
}
