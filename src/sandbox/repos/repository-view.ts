import type { Box } from '../box.ts'
import { nodeId } from '../format.ts'
import { countOpenIssues } from '../issues/issues.ts'
import { type RepositoryDocument, ROLES } from '../state/documents.ts'
import { findRole, getUser } from '../state/lookups.ts'
import { loginView } from '../users/user-view.ts'

/** The repository's address in the API. */
export function repoApiUrl(box: Box, repo: RepositoryDocument): string {
  return `${box.apiUrl}/repos/${repo.owner}/${repo.name}`
}

/** The repository's address on the web page. */
export function repoHtmlUrl(box: Box, repo: RepositoryDocument): string {
  return `${box.url}/${repo.owner}/${repo.name}`
}

const API_LINKS: Readonly<Record<string, string>> = {
  archive: '/{archive_format}{/ref}',
  assignees: '/assignees{/user}',
  blobs: '/git/blobs{/sha}',
  branches: '/branches{/branch}',
  collaborators: '/collaborators{/collaborator}',
  comments: '/comments{/number}',
  commits: '/commits{/sha}',
  compare: '/compare/{base}...{head}',
  contents: '/contents/{+path}',
  contributors: '/contributors',
  deployments: '/deployments',
  downloads: '/downloads',
  events: '/events',
  forks: '/forks',
  git_commits: '/git/commits{/sha}',
  git_refs: '/git/refs{/sha}',
  git_tags: '/git/tags{/sha}',
  hooks: '/hooks',
  issue_comment: '/issues/comments{/number}',
  issue_events: '/issues/events{/number}',
  issues: '/issues{/number}',
  keys: '/keys{/key_id}',
  labels: '/labels{/name}',
  languages: '/languages',
  merges: '/merges',
  milestones: '/milestones{/number}',
  notifications: '/notifications{?since,all,participating}',
  pulls: '/pulls{/number}',
  releases: '/releases{/id}',
  stargazers: '/stargazers',
  statuses: '/statuses/{sha}',
  subscribers: '/subscribers',
  subscription: '/subscription',
  tags: '/tags',
  teams: '/teams',
  trees: '/git/trees{/sha}',
}

type MinimalView = ReturnType<typeof createMinimalView>

// Every answer and webhook embeds one. Rows never change, so one view per row is enough.
const minimalViews = new WeakMap<RepositoryDocument, MinimalView>()

/** The short form of a repository, embedded in other objects. */
export function minimalRepositoryView(box: Box, repo: RepositoryDocument): MinimalView {
  const view = minimalViews.get(repo) ?? createMinimalView(box, repo)
  minimalViews.set(repo, view)
  return view
}

function createMinimalView(box: Box, repo: RepositoryDocument) {
  const api = repoApiUrl(box, repo)
  const links = Object.entries(API_LINKS).map(([name, path]) => [`${name}_url`, `${api}${path}`])
  return {
    id: repo.id,
    node_id: nodeId('R', repo.id),
    name: repo.name,
    full_name: `${repo.owner}/${repo.name}`,
    private: repo.private,
    owner: loginView(box, repo.owner),
    html_url: repoHtmlUrl(box, repo),
    description: repo.description,
    fork: false,
    url: api,
    ...Object.fromEntries(links),
  }
}

/** A repository with its settings. `viewer` is the login whose permissions are shown. */
export function repositoryView(box: Box, repo: RepositoryDocument, viewer?: string) {
  const openIssues = countOpenIssues(box.store, repo.id)
  const known = settingsViews.get(repo)
  const view = known?.open_issues === openIssues ? known : createSettingsView(box, repo, openIssues)
  settingsViews.set(repo, view)
  return viewer === undefined ? view : { ...view, permissions: permissionsView(repo, viewer) }
}

type SettingsView = ReturnType<typeof createSettingsView>
// Every webhook embeds it. Building it each time caused most of the sandbox's memory churn.
const settingsViews = new WeakMap<RepositoryDocument, SettingsView>()

function createSettingsView(box: Box, repo: RepositoryDocument, openIssues: number) {
  const html = repoHtmlUrl(box, repo)
  return {
    ...minimalRepositoryView(box, repo),
    created_at: repo.createdAt,
    updated_at: repo.updatedAt,
    pushed_at: repo.pushedAt,
    git_url: `${html.replace(/^https?:/, 'git:')}.git`,
    ssh_url: `git@${new URL(box.url).hostname}:${repo.owner}/${repo.name}.git`,
    clone_url: `${html}.git`,
    svn_url: html,
    homepage: repo.homepage,
    size: 0,
    stargazers_count: 0,
    watchers_count: 0,
    language: null,
    has_issues: repo.features.issues,
    has_projects: repo.features.projects,
    has_downloads: true,
    has_wiki: repo.features.wiki,
    has_pages: false,
    has_discussions: repo.features.discussions,
    forks_count: 0,
    mirror_url: null,
    archived: repo.archived,
    disabled: false,
    open_issues_count: openIssues,
    license: null,
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    topics: repo.topics,
    visibility: repo.private ? 'private' : 'public',
    forks: 0,
    open_issues: openIssues,
    watchers: 0,
    default_branch: repo.defaultBranch,
  }
}

/** The longest form, for GET /repos/{owner}/{repo}. */
export function fullRepositoryView(box: Box, repo: RepositoryDocument, viewer?: string) {
  const owner = getUser(box.store, repo.owner)
  return {
    ...repositoryView(box, repo, viewer),
    temp_clone_token: null,
    allow_merge_commit: repo.merging.merge,
    allow_squash_merge: repo.merging.squash,
    allow_rebase_merge: repo.merging.rebase,
    allow_auto_merge: repo.merging.auto,
    allow_update_branch: repo.merging.updateBranch,
    delete_branch_on_merge: repo.merging.deleteBranch,
    ...(owner.type === 'Organization' ? { organization: loginView(box, repo.owner) } : {}),
    network_count: 0,
    subscribers_count: 0,
  }
}

/** A login's permissions in the form for older clients. */
export function permissionsView(repo: RepositoryDocument, login: string) {
  const role = findRole(repo, login)
  const rank = role === undefined ? -1 : ROLES.indexOf(role)
  return {
    admin: rank >= ROLES.indexOf('admin'),
    maintain: rank >= ROLES.indexOf('maintain'),
    push: rank >= ROLES.indexOf('write'),
    triage: rank >= ROLES.indexOf('triage'),
    pull: rank >= 0,
  }
}

/** An author's relation to a repository. Past contributors read as NONE. */
export function authorAssociation(repo: RepositoryDocument, login: string): string {
  const same = (name: string): boolean => name.toLowerCase() === login.toLowerCase()
  if (same(repo.owner)) return 'OWNER'
  return Object.keys(repo.collaborators).some(same) ? 'COLLABORATOR' : 'NONE'
}
