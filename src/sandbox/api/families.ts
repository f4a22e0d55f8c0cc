import type { Family } from '../box.ts'
import { appsFamily } from './apps.ts'
import { blobsFamily } from './blobs.ts'
import { branchesFamily } from './branches.ts'
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
import { treesFamily } from './trees.ts'

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
]
