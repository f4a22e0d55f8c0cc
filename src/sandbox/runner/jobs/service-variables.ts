import { issueRuntimeToken } from '../../actions/results/runtime-token.ts'
import type { Box } from '../../box.ts'

/**
 * The sandbox's addresses, for every step. The server has its own name below `.localhost`: `@actions/artifact`
 * takes any other name for a GitHub Enterprise Server and refuses to work. git and curl resolve such names, but
 * Node does not, so the addresses for Node use plain `localhost`.
 */
export function serverVariables(box: Box): Record<string, string> {
  return {
    GITHUB_SERVER_URL: `http://github.localhost:${new URL(box.url).port}`,
    GITHUB_API_URL: box.apiUrl,
    GITHUB_GRAPHQL_URL: `${box.url}/api/graphql`,
  }
}

/**
 * Variables for actions only, as on GitHub: the address of the artifact and cache services (`/twirp/…`), and
 * ACTIONS_RUNTIME_TOKEN, a JWT with `scp: Actions.Results:<run>:<job>`.
 */
export function actionVariables(
  box: Box,
  job: { readonly runId: number; readonly jobId: number },
): Record<string, string> {
  return {
    ACTIONS_RESULTS_URL: `${box.url}/`,
    ACTIONS_RUNTIME_TOKEN: issueRuntimeToken(box, job),
    // Spelled as in GitHub's runner. Without it clients ask for the older service, which the sandbox lacks.
    ACTIONS_CACHE_SERVICE_V2: 'True',
  }
}
