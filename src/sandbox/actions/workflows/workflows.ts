import { listTree } from '../../../git/listing.ts'
import type { Box } from '../../box.ts'
import { isoTime } from '../../format.ts'
import type { BareRepository } from '../../git/bare-repository.ts'
import type { RepositoryDocument } from '../../state/documents.ts'
import { defineTable } from '../../state/store.ts'
import { type Workflow, workflows } from '../documents.ts'
import { parseWorkflowFile, type WorkflowFile } from './workflow-file.ts'

const FOLDER = '.github/workflows'

/** The tree id of the folder from which a repository's workflows were last read. */
const readFolders = defineTable<string>('workflow-folders')

/** The workflows of the default branch, in the order they were first seen. */
export async function listWorkflows(box: Box, repo: RepositoryDocument): Promise<Workflow[]> {
  await discoverWorkflows(box, repo)
  return workflows(box.store)
    .all()
    .filter((workflow) => workflow.repositoryId === repo.id && workflow.state !== 'deleted')
}

/** Updates the table from the default branch. A file that reappears keeps its old id. */
export async function discoverWorkflows(box: Box, repo: RepositoryDocument): Promise<void> {
  const git = await box.git.get(repo.id)
  const folder = (await git.find(`refs/heads/${repo.defaultBranch}:${FOLDER}`))?.id ?? ''
  if (readFolders(box.store).find(repo.id) === folder) return
  const files = folder === '' ? [] : await listFiles(git, folder)
  for (const file of files) {
    const content = await git.objects.get(file.id, 'blob')
    record(box, repo, `${FOLDER}/${file.path}`, parseWorkflowFile(content.toString('utf8')))
  }
  const paths = new Set(files.map((file) => `${FOLDER}/${file.path}`))
  for (const workflow of workflows(box.store).all()) {
    if (workflow.repositoryId !== repo.id || paths.has(workflow.path) || workflow.state === 'deleted')
      continue
    saveWorkflow(box, { ...workflow, state: 'deleted' })
  }
  readFolders(box.store).put(repo.id, folder)
}

/** The workflow files of a commit. Registers those that were never on the default branch. */
export async function listWorkflowsAt(
  box: Box,
  repo: RepositoryDocument,
  commit: string,
): Promise<{ readonly workflow: Workflow; readonly text: string }[]> {
  await discoverWorkflows(box, repo)
  const git = await box.git.get(repo.id)
  const folder = await git.find(`${commit}:${FOLDER}`)
  const found: { workflow: Workflow; text: string }[] = []
  for (const file of folder === undefined ? [] : await listFiles(git, folder.id)) {
    const path = `${FOLDER}/${file.path}`
    const text = (await git.objects.get(file.id, 'blob')).toString('utf8')
    const known = findByPath(box, repo, path)
    if (known === undefined) record(box, repo, path, parseWorkflowFile(text))
    const workflow = known ?? findByPath(box, repo, path)
    if (workflow !== undefined) found.push({ workflow, text })
  }
  return found
}

async function listFiles(git: BareRepository, folder: string) {
  const entries = await listTree(git.repository, folder, false)
  return entries.filter((entry) => entry.type === 'blob' && /\.ya?ml$/.test(entry.path))
}

function findByPath(box: Box, repo: RepositoryDocument, path: string): Workflow | undefined {
  return workflows(box.store)
    .all()
    .find((workflow) => workflow.repositoryId === repo.id && workflow.path === path)
}

function record(box: Box, repo: RepositoryDocument, path: string, file: WorkflowFile): void {
  const name = file.name ?? path
  const known = findByPath(box, repo, path)
  if (known === undefined) {
    const id = box.store.next('workflows') + 5000
    const createdAt = isoTime(box.now())
    saveWorkflow(box, { id, repositoryId: repo.id, path, name, state: 'active', createdAt, updatedAt: '' })
  } else if (known.name !== name || known.state === 'deleted') {
    saveWorkflow(box, { ...known, name, state: known.state === 'deleted' ? 'active' : known.state })
  }
}

/** Saves a workflow with a new change time. */
export function saveWorkflow(box: Box, workflow: Workflow): void {
  workflows(box.store).put(workflow.id, { ...workflow, updatedAt: isoTime(box.now()) })
}

/** A workflow's file in a commit, or undefined if it has none. */
export async function findWorkflowFile(
  git: BareRepository,
  commit: string,
  path: string,
): Promise<WorkflowFile | undefined> {
  const blob = await git.find(`${commit}:${path}`)
  if (blob?.type !== 'blob') return undefined
  return parseWorkflowFile((await git.objects.get(blob.id, 'blob')).toString('utf8'))
}
