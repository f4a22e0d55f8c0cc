import type { RepoCall } from '../box.ts'
import { nodeId } from '../format.ts'
import type { LastEdit } from '../issues/issues.ts'
import { getUser } from '../state/lookups.ts'

/** Who last edited a body, and when. */
export function editFields(call: RepoCall, edit: LastEdit | undefined) {
  if (edit === undefined) return { lastEditedAt: null, editor: null }
  const { id, type, login } = getUser(call.box.store, edit.login)
  // GraphQL names an App without REST's `[bot]` suffix.
  const name = type === 'Bot' ? login.replace(/\[bot\]$/, '') : login
  return {
    lastEditedAt: edit.at,
    editor: { __typename: type, id: nodeId('U', id), databaseId: id, login: name },
  }
}
