import type { Box } from '../box.ts'
import { nodeId } from '../format.ts'
import type { User } from '../state/documents.ts'
import { getUser } from '../state/lookups.ts'

/** GitHub's short form of a user, organisation or bot. */
export function userView(box: Box, user: User) {
  const api = `${box.apiUrl}/users/${encodeURIComponent(user.login)}`
  return {
    login: user.login,
    id: user.id,
    node_id: nodeId('U', user.id),
    avatar_url: `${box.url}/avatars/${user.id}`,
    gravatar_id: '',
    url: api,
    html_url: `${box.url}/${encodeURIComponent(user.login)}`,
    followers_url: `${api}/followers`,
    following_url: `${api}/following{/other_user}`,
    gists_url: `${api}/gists{/gist_id}`,
    starred_url: `${api}/starred{/owner}{/repo}`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events{/privacy}`,
    received_events_url: `${api}/received_events`,
    type: user.type,
    user_view_type: 'public',
    site_admin: false,
  }
}

/** The short form of the user with this login. */
export function loginView(box: Box, login: string) {
  return userView(box, getUser(box.store, login))
}

/** The form of a repository's organisation in webhooks. */
export function organizationView(box: Box, login: string) {
  const { id } = getUser(box.store, login)
  const api = `${box.apiUrl}/orgs/${encodeURIComponent(login)}`
  return {
    login,
    id,
    node_id: nodeId('O', id),
    url: api,
    repos_url: `${api}/repos`,
    events_url: `${api}/events`,
    hooks_url: `${api}/hooks`,
    issues_url: `${api}/issues`,
    members_url: `${api}/members{/member}`,
    public_members_url: `${api}/public_members{/member}`,
    avatar_url: `${box.url}/avatars/${id}`,
    description: null,
  }
}

/** The long form, for /user and /users/{username}. */
export function fullUserView(box: Box, user: User) {
  return {
    ...userView(box, user),
    name: user.name,
    company: null,
    blog: '',
    location: null,
    email: user.email,
    hireable: null,
    bio: null,
    twitter_username: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: user.createdAt,
    updated_at: user.createdAt,
  }
}
