import type { Box } from '../box.ts'
import { nodeId } from '../format.ts'
import { apps, type Installation, type RepositoryDocument } from '../state/documents.ts'
import { getUser } from '../state/lookups.ts'
import { loginView } from '../users/user-view.ts'

/** GitHub's form of an installation, in answers and in webhooks. */
export function installationView(box: Box, installation: Installation) {
  const account = getUser(box.store, installation.account)
  const app = apps(box.store).find(installation.appId)
  return {
    id: installation.id,
    node_id: nodeId('I', installation.id),
    client_id: app?.clientId ?? '',
    account: loginView(box, installation.account),
    repository_selection: installation.repositories === 'all' ? 'all' : 'selected',
    access_tokens_url: `${box.apiUrl}/app/installations/${installation.id}/access_tokens`,
    repositories_url: `${box.apiUrl}/installation/repositories`,
    html_url: `${box.url}/settings/installations/${installation.id}`,
    app_id: installation.appId,
    app_slug: app?.slug ?? '',
    target_id: account.id,
    target_type: account.type,
    permissions: { metadata: 'read', ...installation.permissions },
    events: installation.events,
    created_at: installation.createdAt,
    updated_at: installation.updatedAt,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: installation.suspendedBy === null ? null : loginView(box, installation.suspendedBy),
    suspended_at: installation.suspendedAt,
  }
}

/** The five fields by which installation events name a repository. */
export function shortRepositoryView(repo: RepositoryDocument) {
  return {
    id: repo.id,
    node_id: nodeId('R', repo.id),
    name: repo.name,
    full_name: `${repo.owner}/${repo.name}`,
    private: repo.private,
  }
}
