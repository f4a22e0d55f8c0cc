import type { Family } from '../box.ts'
import { actionsSettingsFamily } from './actions-settings.ts'
import { appsFamily } from './apps.ts'
import { artifactsFamily } from './artifacts.ts'
import { blobsFamily } from './blobs.ts'
import { branchesFamily } from './branches.ts'
import { checkRunsFamily } from './check-runs.ts'
import { checkSuitesFamily } from './check-suites.ts'
import { commitsFamily } from './commits.ts'
import { contentsFamily } from './contents.ts'
import { gitCommitsFamily } from './git-commits.ts'
import { graphqlFamily } from './graphql.ts'
import { hooksFamily } from './hooks.ts'
import { installationTokensFamily } from './installation-tokens.ts'
import { installationsFamily } from './installations.ts'
import { metaFamily } from './meta.ts'
import { refsFamily } from './refs.ts'
import { repositoriesFamily } from './repositories.ts'
import { statusesFamily } from './statuses.ts'
import { treesFamily } from './trees.ts'
import { workflowDispatchFamily } from './workflow-dispatch.ts'
import { workflowJobsFamily } from './workflow-jobs.ts'
import { workflowRunsFamily } from './workflow-runs.ts'
import { workflowsFamily } from './workflows.ts'

/** Everything the API serves. */
export const FAMILIES: readonly Family[] = [
  metaFamily,
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
  checkSuitesFamily,
  checkRunsFamily,
  statusesFamily,
  workflowsFamily,
  workflowDispatchFamily,
  workflowRunsFamily,
  workflowJobsFamily,
  artifactsFamily,
  actionsSettingsFamily,
]
