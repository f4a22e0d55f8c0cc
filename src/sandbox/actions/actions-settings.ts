import type { Box, Family, RepoCall } from '../box.ts'
import { ApiError } from '../http/errors.ts'
import { noContent, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import { defineTable } from '../state/store.ts'

/** A repository's settings for Actions. */
export interface ActionsSettings {
  readonly enabled: boolean
  readonly allowedActions: string
  /** The permissions of a job's token when the workflow declares none. */
  readonly defaultPermissions: 'read' | 'write'
  readonly canApprovePullRequests: boolean
}

const settingsTable = defineTable<ActionsSettings>('actions-settings')
const DEFAULTS: ActionsSettings = {
  enabled: true,
  allowedActions: 'all',
  defaultPermissions: 'read',
  canApprovePullRequests: false,
}

const READ = { needs: { administration: 'read' }, role: 'admin' } as const
const PERMISSIONS = '/repos/{owner}/{repo}/actions/permissions'

/** Whether and how a repository uses Actions. */
export const actionsSettingsFamily: Family = {
  routes: [
    repoRoute(`GET ${PERMISSIONS}`, READ, ({ box, repo }) => {
      const { enabled, allowedActions } = actionsSettings(box, repo)
      return ok({ enabled, ...(enabled ? { allowed_actions: allowedActions } : {}) })
    }),
    repoRoute(`PUT ${PERMISSIONS}`, { administration: 'write' }, (call) => {
      const allowed = call.body.findText('allowed_actions')
      return change(call, {
        enabled: call.body.findFlag('enabled') ?? true,
        ...(allowed === undefined ? {} : { allowedActions: allowed }),
      })
    }),
    repoRoute(`GET ${PERMISSIONS}/workflow`, READ, ({ box, repo }) => {
      const { defaultPermissions, canApprovePullRequests } = actionsSettings(box, repo)
      return ok({
        default_workflow_permissions: defaultPermissions,
        can_approve_pull_request_reviews: canApprovePullRequests,
      })
    }),
    repoRoute(`PUT ${PERMISSIONS}/workflow`, { administration: 'write' }, (call) => {
      const before = actionsSettings(call.box, call.repo)
      const level = call.body.findText('default_workflow_permissions') ?? before.defaultPermissions
      const approve = call.body.findFlag('can_approve_pull_request_reviews')
      return change(call, {
        defaultPermissions: level === 'write' ? 'write' : 'read',
        canApprovePullRequests: approve ?? before.canApprovePullRequests,
      })
    }),
  ],
}

/** The repository's settings, or GitHub's defaults. */
export function actionsSettings(box: Box, repo: RepositoryDocument): ActionsSettings {
  return settingsTable(box.store).find(repo.id) ?? DEFAULTS
}

/** Throws when Actions is disabled in the repository. */
export function assertActionsEnabled(call: RepoCall): void {
  if (actionsSettings(call.box, call.repo).enabled) return
  throw new ApiError(422, 'Actions has been disabled for this repository.')
}

function change(call: RepoCall, changes: Partial<ActionsSettings>): Reply {
  settingsTable(call.box.store).put(call.repo.id, { ...actionsSettings(call.box, call.repo), ...changes })
  return noContent()
}
