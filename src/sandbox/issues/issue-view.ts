import { appView } from '../apps/app-routes.ts'
import type { Box } from '../box.ts'
import { nodeId } from '../format.ts'
import { labelsOn, labelView } from '../labels/labels.ts'
import { authorAssociation, repoApiUrl, repoHtmlUrl } from '../repos/repository-view.ts'
import { apps, type RepositoryDocument } from '../state/documents.ts'
import { loginView } from '../users/user-view.ts'
import type { Issue } from './issues.ts'
import { reactionRollup } from './reaction-view.ts'

/** GitHub's JSON for an issue, or for a pull request as an issue. */
export function issueView(box: Box, repo: RepositoryDocument, issue: Issue) {
  const url = issueApiUrl(box, repo, issue)
  const assignees = issue.assignees.map((login) => loginView(box, login))
  return {
    url,
    repository_url: repoApiUrl(box, repo),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: issueHtmlUrl(box, repo, issue),
    id: issue.id,
    node_id: issue.pull === undefined ? nodeId('I', issue.id) : nodeId('PR', issue.pull.id),
    number: issue.number,
    title: issue.title,
    user: loginView(box, issue.author),
    labels: labelsOn(box.store, issue).map((label) => labelView(box, repo, label)),
    state: issue.state,
    locked: issue.locked,
    assignee: assignees[0] ?? null,
    assignees,
    milestone: null,
    comments: issue.comments,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    author_association: authorAssociation(repo, issue.author),
    active_lock_reason: issue.lockReason,
    body: issue.body,
    reactions: reactionRollup(url, issue.reactions),
    timeline_url: `${url}/timeline`,
    performed_via_github_app: performedVia(box, issue.appId),
    state_reason: issue.stateReason,
    ...pullFields(box, repo, issue),
  }
}

/** The long form, with the person who closed it. */
export function fullIssueView(box: Box, repo: RepositoryDocument, issue: Issue) {
  const closedBy = issue.closedBy === null ? null : loginView(box, issue.closedBy)
  return { ...issueView(box, repo, issue), closed_by: closedBy }
}

function issueApiUrl(box: Box, repo: RepositoryDocument, issue: Issue): string {
  return `${repoApiUrl(box, repo)}/issues/${issue.number}`
}

/** The address on the web page. Pull requests have pages of their own. */
export function issueHtmlUrl(box: Box, repo: RepositoryDocument, issue: Issue): string {
  return `${repoHtmlUrl(box, repo)}/${issue.pull === undefined ? 'issues' : 'pull'}/${issue.number}`
}

/** The App through which something was written, or null. */
export function performedVia(box: Box, appId: number | null) {
  const app = appId === null ? undefined : apps(box.store).find(appId)
  return app === undefined ? null : appView(box, app)
}

function pullFields(box: Box, repo: RepositoryDocument, issue: Issue) {
  if (issue.pull === undefined) return {}
  const html = issueHtmlUrl(box, repo, issue)
  return {
    draft: issue.pull.draft,
    pull_request: {
      url: `${repoApiUrl(box, repo)}/pulls/${issue.number}`,
      html_url: html,
      diff_url: `${html}.diff`,
      patch_url: `${html}.patch`,
      merged_at: issue.pull.mergedAt,
    },
  }
}
