import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { LoreleyError } from '../../../errors.ts'
import { writeFilesTo } from '../../../git/checkout.ts'
import { listFiles } from '../../../git/listing.ts'
import { findRepository } from '../../state/lookups.ts'
import type { JobSession } from '../jobs/job-session.ts'
import { type ActionDefinition, loadAction } from '../syntax/action-definition.ts'
import {
  type ActionReference,
  findMappedFolder,
  findStandIn,
  parseActionReference,
} from './action-folders.ts'

/** True for an action in the job's workspace, which exists only after the checkout. */
export function isLocalAction(uses: string): boolean {
  return uses.startsWith('./') || uses.startsWith('.\\')
}

/** Finds a step's action: in the workspace, a mapped folder, a repository of the sandbox, or a stand-in. */
export async function findAction(session: JobSession, uses: string): Promise<ActionDefinition> {
  if (uses.startsWith('docker://')) {
    throw unresolved(`${uses} is a container action, which the sandbox does not run.`)
  }
  if (isLocalAction(uses)) return await loadAction(localFolder(session, uses), uses)
  const reference = parseActionReference(uses)
  if (reference === undefined) throw unresolved(`Expected format {org}/{repo}[/path]@ref. Actual '${uses}'.`)
  const folder =
    findMappedFolder(reference, session.request.box.settings.actionFolders) ??
    (await downloadAction(session, reference)) ??
    findStandIn(reference)
  if (folder === undefined)
    throw unresolved(`Unable to resolve action ${uses}: no repository or stand-in has it.`)
  return await loadAction(folder, uses)
}

function localFolder(session: JobSession, uses: string): string {
  const { workspace } = session.folders
  const folder = resolve(workspace, uses)
  if (folder === workspace || folder.startsWith(workspace + sep)) return folder
  throw unresolved(`${uses} is outside the workspace.`)
}

// As GitHub allows by default: public repositories, and those of the same owner.
async function downloadAction(session: JobSession, reference: ActionReference): Promise<string | undefined> {
  const { box, repo } = session.request
  const source = findRepository(box.store, reference.owner, reference.repo)
  if (source === undefined || (source.private && source.owner !== repo.owner)) return undefined
  const git = await box.git.get(source.id)
  const commit = await git.findCommit(reference.ref)
  if (commit === undefined) {
    throw unresolved(
      `Unable to resolve action ${reference.owner}/${reference.repo}@${reference.ref}: no such ref.`,
    )
  }
  const folder = join(session.folders.actions, String(source.id), commit)
  if (!existsSync(folder)) {
    await mkdir(folder, { recursive: true })
    const files = await listFiles(git.repository, commit)
    const wanted = files.map(({ pathBytes, mode, blob }) => ({ pathBytes, version: { mode, blob } }))
    await writeFilesTo(folder, wanted, git.objects)
  }
  return join(folder, reference.path)
}

function unresolved(message: string): LoreleyError {
  const hint = 'Add the action to a repository of the sandbox, or map it to a folder.'
  return new LoreleyError('workflow-invalid', message, hint)
}
