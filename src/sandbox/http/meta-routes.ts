import { actorKey } from '../access/actor.ts'
import type { Call, Family } from '../box.ts'
import { content, ok, type Reply } from './reply.ts'
import { route } from './route.ts'

/** The API's root, its rate limits and GitHub's zen. */
export const metaFamily: Family = {
  routes: [
    route('GET /', 'anyone', (call) => ok(rootView(call.box.apiUrl, call.box.url))),
    route('GET /meta', 'anyone', () => ok({ verifiable_password_authentication: false })),
    route('GET /zen', 'anyone', () => content('text/plain', 'Keep it logically awesome.')),
    route('GET /rate_limit', 'anyone', getRateLimit),
  ],
}

function getRateLimit(call: Call): Reply {
  const read = (resource: string) => call.box.limits.read(actorKey(call.actor), resource)
  return ok({
    resources: { core: read('core'), graphql: read('graphql'), search: read('search') },
    rate: read('core'),
  })
}

function rootView(api: string, html: string) {
  const search = (what: string): string => `${api}/search/${what}?q={query}{&page,per_page,sort,order}`
  return {
    current_user_url: `${api}/user`,
    current_user_authorizations_html_url: `${html}/settings/connections/applications{/client_id}`,
    authorizations_url: `${api}/authorizations`,
    code_search_url: search('code'),
    commit_search_url: search('commits'),
    emails_url: `${api}/user/emails`,
    emojis_url: `${api}/emojis`,
    events_url: `${api}/events`,
    feeds_url: `${api}/feeds`,
    followers_url: `${api}/user/followers`,
    following_url: `${api}/user/following{/target}`,
    gists_url: `${api}/gists{/gist_id}`,
    issue_search_url: search('issues'),
    issues_url: `${api}/issues`,
    keys_url: `${api}/user/keys`,
    label_search_url: `${api}/search/labels?q={query}&repository_id={repository_id}{&page,per_page}`,
    notifications_url: `${api}/notifications`,
    organization_url: `${api}/orgs/{org}`,
    organization_repositories_url: `${api}/orgs/{org}/repos{?type,page,per_page,sort}`,
    organization_teams_url: `${api}/orgs/{org}/teams`,
    public_gists_url: `${api}/gists/public`,
    rate_limit_url: `${api}/rate_limit`,
    repository_url: `${api}/repos/{owner}/{repo}`,
    repository_search_url: search('repositories'),
    current_user_repositories_url: `${api}/user/repos{?type,page,per_page,sort}`,
    starred_url: `${api}/user/starred{/owner}{/repo}`,
    starred_gists_url: `${api}/gists/starred`,
    user_url: `${api}/users/{user}`,
    user_organizations_url: `${api}/user/orgs`,
    user_repositories_url: `${api}/users/{user}/repos{?type,page,per_page,sort}`,
    user_search_url: search('users'),
  }
}
