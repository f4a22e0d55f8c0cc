import { actionsSettingsFamily } from './actions/actions-settings.ts'
import { artifactsFamily } from './actions/artifacts/artifact-routes.ts'
import { cachesFamily } from './actions/caches/cache-routes.ts'
import { workflowJobsFamily } from './actions/runs/job-routes.ts'
import { workflowRunsFamily } from './actions/runs/run-routes.ts'
import { secretsFamily } from './actions/secrets/secret-routes.ts'
import { variablesFamily } from './actions/secrets/variable-routes.ts'
import { workflowDispatchFamily } from './actions/workflows/dispatch-routes.ts'
import { workflowsFamily } from './actions/workflows/workflow-routes.ts'
import { appsFamily } from './apps/app-routes.ts'
import { installationsFamily } from './apps/installation-routes.ts'
import { installationTokensFamily } from './apps/installation-tokens.ts'
import type { Family } from './box.ts'
import { graphqlChecksFamily } from './checks/check-run-mutations.ts'
import { checkRunsFamily } from './checks/check-run-routes.ts'
import { checkSuitesFamily } from './checks/check-suite-routes.ts'
import { statusesFamily } from './checks/status-routes.ts'
import { branchPoliciesFamily } from './environments/branch-policy-routes.ts'
import { environmentsFamily } from './environments/environment-routes.ts'
import { blobsFamily } from './git-data/blob-routes.ts'
import { gitCommitsFamily } from './git-data/git-commit-routes.ts'
import { gitTagsFamily } from './git-data/git-tag-routes.ts'
import { refsFamily } from './git-data/ref-routes.ts'
import { treesFamily } from './git-data/tree-routes.ts'
import { graphqlFamily } from './graphql/graphql-route.ts'
import { graphqlNodesFamily } from './graphql/nodes.ts'
import { metaFamily } from './http/meta-routes.ts'
import { assigneesFamily } from './issues/assignee-routes.ts'
import { commentsFamily } from './issues/comment-routes.ts'
import { issueEventsFamily } from './issues/issue-event-routes.ts'
import { issuesFamily } from './issues/issue-routes.ts'
import { reactionsFamily } from './issues/reaction-routes.ts'
import { searchFamily } from './issues/search-routes.ts'
import { issueLabelsFamily } from './labels/issue-label-routes.ts'
import { labelsFamily } from './labels/label-routes.ts'
import { pullMergeFamily } from './pulls/merge-routes.ts'
import { pullDraftsFamily } from './pulls/pull-drafts.ts'
import { pullsFamily } from './pulls/pull-routes.ts'
import { pullReviewersFamily } from './pulls/reviewer-routes.ts'
import { accountRepositoriesFamily } from './repos/account-repository-routes.ts'
import { archivesFamily } from './repos/archive-routes.ts'
import { branchesFamily } from './repos/branch-routes.ts'
import { collaboratorsFamily } from './repos/collaborator-routes.ts'
import { commitsFamily } from './repos/commit-routes.ts'
import { contentsFamily } from './repos/content-routes.ts'
import { repositoriesFamily } from './repos/repository-routes.ts'
import { reviewCommentsFamily } from './reviews/review-comment-routes.ts'
import { reviewsFamily } from './reviews/review-routes.ts'
import { rulesetsFamily } from './rules/ruleset-routes.ts'
import { workflowTriggersFamily } from './runner/triggers/triggers.ts'
import { usersFamily } from './users/user-routes.ts'
import { hooksFamily } from './webhooks/hook-routes.ts'

/** Everything the API serves. */
export const FAMILIES: readonly Family[] = [
  metaFamily,
  usersFamily,
  appsFamily,
  installationsFamily,
  installationTokensFamily,
  repositoriesFamily,
  branchesFamily,
  commitsFamily,
  contentsFamily,
  blobsFamily,
  treesFamily,
  gitCommitsFamily,
  refsFamily,
  graphqlFamily,
  hooksFamily,
  collaboratorsFamily,
  issuesFamily,
  labelsFamily,
  issueLabelsFamily,
  assigneesFamily,
  commentsFamily,
  reactionsFamily,
  issueEventsFamily,
  searchFamily,
  checkSuitesFamily,
  checkRunsFamily,
  graphqlChecksFamily,
  graphqlNodesFamily,
  statusesFamily,
  pullsFamily,
  pullMergeFamily,
  pullDraftsFamily,
  pullReviewersFamily,
  reviewsFamily,
  reviewCommentsFamily,
  workflowsFamily,
  workflowDispatchFamily,
  workflowRunsFamily,
  workflowJobsFamily,
  artifactsFamily,
  cachesFamily,
  actionsSettingsFamily,
  rulesetsFamily,
  environmentsFamily,
  branchPoliciesFamily,
  secretsFamily,
  variablesFamily,
  accountRepositoriesFamily,
  gitTagsFamily,
  archivesFamily,
  workflowTriggersFamily,
]
