import type { Family } from '../box.ts'
import { workflowTriggersFamily } from '../runner/triggers.ts'
import { accountRepositoriesFamily } from './account-repositories.ts'
import { actionsSettingsFamily } from './actions-settings.ts'
import { appsFamily } from './apps.ts'
import { archivesFamily } from './archives.ts'
import { artifactsFamily } from './artifacts.ts'
import { assigneesFamily } from './assignees.ts'
import { blobsFamily } from './blobs.ts'
import { branchPoliciesFamily } from './branch-policies.ts'
import { branchesFamily } from './branches.ts'
import { cachesFamily } from './caches.ts'
import { checkRunsFamily } from './check-runs.ts'
import { checkSuitesFamily } from './check-suites.ts'
import { collaboratorsFamily } from './collaborators.ts'
import { commentsFamily } from './comments.ts'
import { commitsFamily } from './commits.ts'
import { contentsFamily } from './contents.ts'
import { deleteIssueFamily } from './delete-issue.ts'
import { environmentsFamily } from './environments.ts'
import { gitCommitsFamily } from './git-commits.ts'
import { gitTagsFamily } from './git-tags.ts'
import { graphqlFamily } from './graphql.ts'
import { graphqlChecksFamily } from './graphql-checks.ts'
import { graphqlNodesFamily } from './graphql-nodes.ts'
import { hooksFamily } from './hooks.ts'
import { installationTokensFamily } from './installation-tokens.ts'
import { installationsFamily } from './installations.ts'
import { issueEventsFamily } from './issue-events.ts'
import { issueLabelsFamily } from './issue-labels.ts'
import { issuesFamily } from './issues.ts'
import { labelsFamily } from './labels.ts'
import { metaFamily } from './meta.ts'
import { pullDraftsFamily } from './pull-drafts.ts'
import { pullMergeFamily } from './pull-merge.ts'
import { pullReviewersFamily } from './pull-reviewers.ts'
import { pullsFamily } from './pulls.ts'
import { reactionsFamily } from './reactions.ts'
import { refsFamily } from './refs.ts'
import { repositoriesFamily } from './repositories.ts'
import { repositoryDispatchFamily } from './repository-dispatch.ts'
import { reviewCommentsFamily } from './review-comments.ts'
import { reviewsFamily } from './reviews.ts'
import { rulesetsFamily } from './rulesets.ts'
import { searchFamily } from './search.ts'
import { secretsFamily } from './secrets.ts'
import { statusesFamily } from './statuses.ts'
import { treesFamily } from './trees.ts'
import { usersFamily } from './users.ts'
import { variablesFamily } from './variables.ts'
import { workflowDispatchFamily } from './workflow-dispatch.ts'
import { workflowJobsFamily } from './workflow-jobs.ts'
import { workflowRunsFamily } from './workflow-runs.ts'
import { workflowsFamily } from './workflows.ts'

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
  deleteIssueFamily,
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
  repositoryDispatchFamily,
  workflowTriggersFamily,
]
