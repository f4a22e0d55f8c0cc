// What the sandbox serves, by the names GitHub's own descriptions use. Add a name here, then run extract-contract.ts.

/** REST operations, `operationId`s of @octokit/openapi. */
export const OPERATIONS: readonly string[] = `
meta/root meta/get meta/get-zen rate-limit/get users/get-authenticated users/get-by-username users/get-by-id orgs/get

apps/get-authenticated apps/get-by-slug apps/get-webhook-config-for-app apps/update-webhook-config-for-app
apps/list-webhook-deliveries apps/get-webhook-delivery apps/redeliver-webhook-delivery
apps/list-installations apps/get-installation apps/delete-installation apps/create-installation-access-token
apps/suspend-installation apps/unsuspend-installation apps/list-repos-accessible-to-installation
apps/revoke-installation-access-token apps/get-repo-installation apps/get-user-installation apps/get-org-installation
apps/list-installations-for-authenticated-user apps/list-installation-repos-for-authenticated-user
apps/add-repo-to-installation-for-authenticated-user apps/remove-repo-from-installation-for-authenticated-user
apps/create-from-manifest

repos/get repos/update repos/delete repos/create-for-authenticated-user repos/list-for-authenticated-user
repos/list-for-user repos/create-in-org repos/list-branches repos/get-branch repos/rename-branch repos/list-commits
repos/get-commit repos/compare-commits-with-basehead repos/merge repos/list-tags repos/list-branches-for-head-commit
repos/get-content repos/create-or-update-file-contents repos/delete-file repos/get-readme
repos/download-tarball-archive repos/download-zipball-archive repos/get-all-topics repos/replace-all-topics
repos/list-languages repos/list-contributors repos/create-dispatch-event
repos/list-comments-for-commit repos/create-commit-comment repos/list-pull-requests-associated-with-commit
repos/create-commit-status repos/get-combined-status-for-ref repos/list-commit-statuses-for-ref
repos/list-collaborators repos/check-collaborator repos/add-collaborator repos/remove-collaborator
repos/get-collaborator-permission-level
repos/get-branch-rules repos/get-repo-rulesets repos/create-repo-ruleset repos/get-repo-ruleset
repos/update-repo-ruleset repos/delete-repo-ruleset repos/get-branch-protection
repos/get-all-environments repos/get-environment repos/create-or-update-environment repos/delete-an-environment
repos/list-deployment-branch-policies repos/create-deployment-branch-policy repos/get-deployment-branch-policy
repos/update-deployment-branch-policy repos/delete-deployment-branch-policy repos/get-all-deployment-protection-rules
repos/list-webhooks repos/create-webhook repos/get-webhook repos/update-webhook repos/delete-webhook
repos/get-webhook-config-for-repo repos/update-webhook-config-for-repo repos/list-webhook-deliveries
repos/get-webhook-delivery repos/redeliver-webhook-delivery repos/ping-webhook repos/test-push-webhook

git/create-blob git/get-blob git/create-commit git/get-commit git/list-matching-refs git/get-ref git/create-ref
git/update-ref git/delete-ref git/create-tag git/get-tag git/create-tree git/get-tree

issues/list-for-repo issues/create issues/get issues/update issues/lock issues/unlock
issues/add-assignees issues/remove-assignees issues/list-assignees issues/check-user-can-be-assigned
issues/list-comments issues/list-comments-for-repo issues/create-comment issues/get-comment issues/update-comment
issues/delete-comment issues/list-events issues/list-events-for-repo issues/get-event issues/list-events-for-timeline
issues/list-labels-on-issue issues/add-labels issues/set-labels issues/remove-all-labels issues/remove-label
issues/list-labels-for-repo issues/create-label issues/get-label issues/update-label issues/delete-label
search/issues-and-pull-requests
reactions/list-for-issue reactions/create-for-issue reactions/delete-for-issue
reactions/list-for-issue-comment reactions/create-for-issue-comment reactions/delete-for-issue-comment
reactions/list-for-pull-request-review-comment reactions/create-for-pull-request-review-comment
reactions/delete-for-pull-request-comment

pulls/list pulls/create pulls/get pulls/update pulls/list-commits pulls/list-files pulls/check-if-merged pulls/merge
pulls/update-branch pulls/list-requested-reviewers pulls/request-reviewers pulls/remove-requested-reviewers
pulls/list-reviews pulls/create-review pulls/get-review pulls/update-review pulls/delete-pending-review
pulls/list-comments-for-review pulls/dismiss-review pulls/submit-review
pulls/list-review-comments pulls/list-review-comments-for-repo pulls/create-review-comment pulls/get-review-comment
pulls/update-review-comment pulls/delete-review-comment pulls/create-reply-for-review-comment

checks/create checks/get checks/update checks/list-annotations checks/rerequest-run checks/create-suite
checks/set-suites-preferences checks/get-suite checks/list-for-suite checks/rerequest-suite checks/list-for-ref
checks/list-suites-for-ref

actions/list-repo-workflows actions/get-workflow actions/enable-workflow actions/disable-workflow
actions/create-workflow-dispatch actions/list-workflow-runs actions/list-workflow-runs-for-repo
actions/get-workflow-run actions/get-workflow-run-attempt actions/delete-workflow-run actions/cancel-workflow-run
actions/force-cancel-workflow-run actions/re-run-workflow actions/re-run-workflow-failed-jobs
actions/re-run-job-for-workflow-run actions/list-jobs-for-workflow-run actions/list-jobs-for-workflow-run-attempt
actions/get-job-for-workflow-run actions/download-job-logs-for-workflow-run actions/download-workflow-run-logs
actions/download-workflow-run-attempt-logs actions/list-artifacts-for-repo actions/list-workflow-run-artifacts
actions/get-artifact actions/download-artifact actions/delete-artifact actions/get-pending-deployments-for-run
actions/get-actions-cache-list actions/delete-actions-cache-by-key actions/delete-actions-cache-by-id
actions/list-repo-secrets actions/get-repo-public-key actions/get-repo-secret actions/create-or-update-repo-secret
actions/delete-repo-secret actions/list-repo-variables actions/create-repo-variable actions/get-repo-variable
actions/update-repo-variable actions/delete-repo-variable
actions/list-environment-secrets actions/get-environment-public-key actions/get-environment-secret
actions/create-or-update-environment-secret actions/delete-environment-secret
actions/list-environment-variables actions/create-environment-variable actions/get-environment-variable
actions/update-environment-variable actions/delete-environment-variable
actions/get-github-actions-permissions-repository actions/set-github-actions-permissions-repository
actions/get-github-actions-default-workflow-permissions-repository
actions/set-github-actions-default-workflow-permissions-repository
`
  .split(/\s+/)
  .filter(Boolean)

/** Webhook events, all actions of each. */
export const EVENTS: readonly string[] = `
check_run check_suite commit_comment create delete installation installation_repositories issue_comment issues label
member meta ping pull_request pull_request_review pull_request_review_comment push repository repository_dispatch
repository_ruleset status workflow_dispatch workflow_job workflow_run
`
  .split(/\s+/)
  .filter(Boolean)

/** GraphQL types and the fields kept of each; input types and enums that these mention are kept whole. */
export const GRAPHQL_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Query: ['id', 'viewer', 'repository', 'node', 'rateLimit'],
  Mutation: [
    'updateRefs',
    'createCommitOnBranch',
    'createCheckRun',
    'updateCheckRun',
    'markPullRequestReadyForReview',
    'convertPullRequestToDraft',
    'deleteIssue',
  ],
  CreateCheckRunPayload: ['checkRun', 'clientMutationId'],
  UpdateCheckRunPayload: ['checkRun', 'clientMutationId'],
  CheckRun: ['id', 'name', 'externalId', 'url'],
  User: ['id', 'login', 'databaseId', 'name'],
  Bot: ['id', 'login', 'databaseId'],
  Organization: ['id', 'login', 'databaseId'],
  Actor: ['login'],
  Node: ['id'],
  RepositoryOwner: ['id', 'login'],
  RateLimit: ['cost', 'limit', 'nodeCount', 'remaining', 'resetAt', 'used'],
  Repository: [
    'id',
    'databaseId',
    'name',
    'nameWithOwner',
    'isPrivate',
    'isArchived',
    'isEmpty',
    'url',
    'owner',
    'defaultBranchRef',
    'ref',
    'refs',
    'object',
    'pullRequest',
    'issue',
  ],
  RefConnection: ['nodes', 'totalCount', 'pageInfo'],
  PageInfo: ['hasNextPage', 'hasPreviousPage', 'startCursor', 'endCursor'],
  Ref: ['id', 'name', 'prefix', 'target'],
  GitObject: ['id', 'oid'],
  Commit: ['id', 'oid', 'message', 'messageHeadline', 'committedDate', 'url', 'tree', 'parents'],
  CommitConnection: ['nodes', 'totalCount'],
  Tree: ['id', 'oid', 'entries'],
  TreeEntry: ['mode', 'name', 'oid', 'path', 'type', 'object'],
  Blob: ['id', 'oid', 'byteSize', 'isBinary', 'text'],
  Tag: ['id', 'oid', 'name', 'target'],
  Issue: ['id', 'databaseId', 'number', 'title', 'body', 'state', 'url', 'lastEditedAt', 'editor'],
  PullRequest: [
    'id',
    'databaseId',
    'number',
    'title',
    'body',
    'isDraft',
    'state',
    'merged',
    'mergeable',
    'url',
    'headRefName',
    'headRefOid',
    'baseRefName',
    'baseRefOid',
    'lastEditedAt',
    'editor',
  ],
  IssueComment: ['id', 'databaseId', 'body', 'url', 'lastEditedAt', 'editor'],
  Comment: ['id', 'body', 'lastEditedAt', 'editor'],
  DeleteIssuePayload: ['clientMutationId', 'repository'],
  UpdateRefsPayload: ['clientMutationId'],
  CreateCommitOnBranchPayload: ['clientMutationId', 'commit', 'ref'],
  MarkPullRequestReadyForReviewPayload: ['clientMutationId', 'pullRequest'],
  ConvertPullRequestToDraftPayload: ['clientMutationId', 'pullRequest'],
}
