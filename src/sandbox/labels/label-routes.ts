import type { RouteAccess } from '../access/permissions.ts'
import type { Doer, Family, RepoCall } from '../box.ts'
import { notFound, validationFailed } from '../http/errors.ts'
import { created, list, noContent, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { READ_ISSUE, WRITE_ISSUE } from '../issues/issue-access.ts'
import { doerOf, emitBy } from '../issues/issue-changes.ts'
import { issuesOf, saveIssue } from '../issues/issues.ts'
import { findLabel, type Label, labels, labelsOf, labelView } from './labels.ts'

const LABELS = '/repos/{owner}/{repo}/labels'
const WRITE: RouteAccess = { ...WRITE_ISSUE, role: 'write' }

/** The labels of a repository. */
export const labelsFamily: Family = {
  routes: [
    repoRoute(`GET ${LABELS}`, READ_ISSUE, async (call) => {
      const all = labelsOf(call.box.store, call.repo.id)
      return await list(call, all, (label) => labelView(call.box, call.repo, label))
    }),
    repoRoute(`POST ${LABELS}`, WRITE, create),
    repoRoute(`GET ${LABELS}/{name}`, READ_ISSUE, (call) => show(call, getLabel(call))),
    repoRoute(`PATCH ${LABELS}/{name}`, WRITE, update),
    repoRoute(`DELETE ${LABELS}/{name}`, WRITE, remove),
  ],
}

/** Labels created by use are grey. */
const DEFAULT_COLOR = 'ededed'

/** Creates a label and sends the event. The name must be free. */
export async function addLabel(
  doer: Doer,
  draft: { readonly name: string; readonly color?: string; readonly description?: string | null },
): Promise<Label> {
  const { box, repo } = doer
  const id = box.store.next('labels')
  const label = labels(box.store).put(id, {
    id,
    repositoryId: repo.id,
    name: assertLabelName(draft.name),
    color: draft.color ?? DEFAULT_COLOR,
    description: draft.description ?? null,
  })
  await emitEvent(doer, label, { action: 'created' })
  return label
}

function getLabel(call: RepoCall): Label {
  const label = findLabel(call.box.store, call.repo.id, call.path.text('name'))
  if (label === undefined) throw notFound()
  return label
}

function show(call: RepoCall, label: Label): Reply {
  return ok(labelView(call.box, call.repo, label))
}

async function create(call: RepoCall): Promise<Reply> {
  const name = call.body.text('name')
  assertFree(call, name)
  const color = readColor(call)
  const draft = {
    name,
    description: readDescription(call) ?? null,
    ...(color === undefined ? {} : { color }),
  }
  return created(labelView(call.box, call.repo, await addLabel(doerOf(call), draft)))
}

async function update(call: RepoCall): Promise<Reply> {
  const label = getLabel(call)
  const name = assertLabelName(call.body.findText('new_name') ?? label.name)
  if (name.toLowerCase() !== label.name.toLowerCase()) assertFree(call, name)
  const color = readColor(call) ?? label.color
  const description = call.body.has('description') ? (readDescription(call) ?? null) : label.description
  const changed = labels(call.box.store).put(label.id, { ...label, name, color, description })
  const changes = {
    ...(name === label.name ? {} : { name: { from: label.name } }),
    ...(color === label.color ? {} : { color: { from: label.color } }),
    ...(description === label.description ? {} : { description: { from: label.description ?? '' } }),
  }
  if (Object.keys(changes).length > 0) await emitEvent(doerOf(call), changed, { action: 'edited', changes })
  return show(call, changed)
}

async function remove(call: RepoCall): Promise<Reply> {
  const label = getLabel(call)
  for (const issue of issuesOf(call.box.store, call.repo.id)) {
    if (!issue.labels.includes(label.id)) continue
    saveIssue(call.box.store, { ...issue, labels: issue.labels.filter((id) => id !== label.id) })
  }
  labels(call.box.store).remove(label.id)
  await emitEvent(doerOf(call), label, { action: 'deleted' })
  return noContent()
}

async function emitEvent(
  doer: Doer,
  label: Label,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  await emitBy(doer, 'label', { ...payload, label: labelView(doer.box, doer.repo, label) })
}

function assertFree(call: RepoCall, name: string): void {
  if (findLabel(call.box.store, call.repo.id, name) === undefined) return
  throw validationFailed({ resource: 'Label', field: 'name', code: 'already_exists' })
}

function assertLabelName(name: string): string {
  if (name.trim() === '') throw validationFailed({ resource: 'Label', field: 'name', code: 'missing_field' })
  if (name.length <= 50) return name
  const message = 'name is too long (maximum is 50 characters)'
  throw validationFailed({ resource: 'Label', field: 'name', code: 'custom', message })
}

function readColor(call: RepoCall): string | undefined {
  const color = call.body.findText('color')
  if (color === undefined || /^[0-9a-f]{6}$/i.test(color)) return color?.toLowerCase()
  throw validationFailed({ resource: 'Label', field: 'color', code: 'invalid' })
}

function readDescription(call: RepoCall): string | undefined {
  const description = call.body.findText('description')
  if (description === undefined || description.length <= 100) return description
  const message = 'description is too long (maximum is 100 characters)'
  throw validationFailed({ resource: 'Label', field: 'description', code: 'custom', message })
}
