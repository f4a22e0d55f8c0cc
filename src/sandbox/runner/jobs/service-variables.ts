import { issueRuntimeToken } from '../../actions/results/runtime-token.ts'
import type { Box } from '../../box.ts'

/**
 * Where a job's processes find the box; every step gets these. The server has a name of its own below
 * `.localhost`: `@actions/artifact` takes any other for a GitHub Enterprise Server and refuses to work. git and
 * curl resolve such names by themselves, Node does not: what Node asks for is at plain `localhost`.
 */
export function serverVariables(box: Box): Record<string, string> {
  return {
    GITHUB_SERVER_URL: `http://github.localhost:${new URL(box.url).port}`,
    GITHUB_API_URL: box.apiUrl,
    GITHUB_GRAPHQL_URL: `${box.url}/api/graphql`,
  }
}

/**
 * What actions get and `run` steps do not, as on GitHub: the address below which the services of artifacts and
 * caches answer (`/twirp/…`), and with it ACTIONS_RUNTIME_TOKEN, a JWT with `scp: Actions.Results:<run>:<job>`.
 */
export function actionVariables(
  box: Box,
  job: { readonly runId: number; readonly jobId: number },
): Record<string, string> {
  return {
    ACTIONS_RESULTS_URL: `${box.url}/`,
    ACTIONS_RUNTIME_TOKEN: issueRuntimeToken(box, job),
    // As GitHub's runner spells it; without it clients ask for the older service, which the box does not have.
    ACTIONS_CACHE_SERVICE_V2: 'True',
  }
}
