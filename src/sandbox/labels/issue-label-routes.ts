import type { Doer, Family, RepoCall } from '../box.ts'
import { ApiError, validationFailed } from '../http/errors.ts'
import { Fields } from '../http/fields.ts'
import { list, noContent, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { getIssue, mayAs, READ_ISSUE, TRIAGE_ISSUE } from '../issues/issue-access.ts'
import { addToTimeline, doerOf, emitIssueChange, touchIssue } from '../issues/issue-changes.ts'
import { freshIssue, type Issue } from '../issues/issues.ts'
import { addLabel } from './label-routes.ts'
import { findLabel, type Label, labelsOn, labelView } from './labels.ts'

const LABELS = '/repos/{owner}/{repo}/issues/{issue_number}/labels'

/** The labels of an issue or pull request. */
export const issueLabelsFamily: Family = {
  routes: [
    repoRoute(`GET ${LABELS}`, READ_ISSUE, (call) => listOn(call, getIssue(call))),
    repoRoute(`POST ${LABELS}`, TRIAGE_ISSUE, async (call) => {
      getIssue(call)
      const added = await resolveLabels(call, 'refused')
      const issue = getIssue(call)
      return await listOn(call, await setLabels(doerOf(call), issue, [...issue.labels, ...idsOf(added)]))
    }),
    repoRoute(`PUT ${LABELS}`, TRIAGE_ISSUE, async (call) => {
      const issue = getIssue(call)
      const wanted = await resolveLabels(call, 'refused')
      return await listOn(call, await setLabels(doerOf(call), issue, idsOf(wanted)))
    }),
    repoRoute(`DELETE ${LABELS}`, TRIAGE_ISSUE, async (call) => {
      await setLabels(doerOf(call), getIssue(call), [])
      return noContent()
    }),
    repoRoute(`DELETE ${LABELS}/{name}`, TRIAGE_ISSUE, removeOne),
  ],
}

async function removeOne(call: RepoCall): Promise<Reply> {
  const issue = getIssue(call)
  const label = findLabel(call.box.store, call.repo.id, call.path.text('name'))
  if (label === undefined || !issue.labels.includes(label.id)) throw new ApiError(404, 'Label does not exist')
  const kept = issue.labels.filter((id) => id !== label.id)
  return await listOn(call, await setLabels(doerOf(call), issue, kept))
}

async function listOn(call: RepoCall, issue: Issue): Promise<Reply> {
  return await list(call, labelsOn(call.box.store, issue), (label) => labelView(call.box, call.repo, label))
}

/**
 * The labels named by the body. Writers create missing ones. For others, missing labels are dropped when they
 * open or update an issue, and refused on the label routes.
 */
export async function resolveLabels(call: RepoCall, unknown: 'dropped' | 'refused'): Promise<Label[]> {
  const resolved: Label[] = []
  for (const name of readNames(call.body)) {
    const known = findLabel(call.box.store, call.repo.id, name)
    if (known !== undefined) resolved.push(known)
    else if (mayAs(call, 'write')) resolved.push(await addLabel(doerOf(call), { name }))
    else if (unknown === 'refused') {
      throw validationFailed({ resource: 'Label', field: 'name', code: 'invalid' })
    }
  }
  return resolved
}

// A label is given as text, or as an object with a name.
function readNames(body: Fields): string[] {
  const given = body.raw('labels')
  if (!Array.isArray(given)) return []
  return given.flatMap((item) =>
    typeof item === 'string' ? item : (new Fields(item).findText('name') ?? []),
  )
}

export function idsOf(labels: readonly Label[]): number[] {
  return labels.map((label) => label.id)
}

/** Sets the labels of an issue or pull request. Each change sends its own event. */
export async function setLabels(doer: Doer, before: Issue, ids: readonly number[]): Promise<Issue> {
  const issue = freshIssue(doer.box.store, before)
  const wanted = [...new Set(ids)]
  const removed = labelsOn(doer.box.store, issue).filter((label) => !wanted.includes(label.id))
  const isNew = wanted.some((id) => !issue.labels.includes(id))
  if (removed.length === 0 && !isNew) return issue
  const changed = touchIssue(doer.box, issue, { labels: wanted })
  const added = labelsOn(doer.box.store, changed).filter((label) => !issue.labels.includes(label.id))
  for (const label of removed) await emitLabelChange(doer, changed, 'unlabeled', label)
  for (const label of added) await emitLabelChange(doer, changed, 'labeled', label)
  return changed
}

/** Records an added or removed label in the timeline and sends the event. */
export async function emitLabelChange(
  doer: Doer,
  issue: Issue,
  action: 'labeled' | 'unlabeled',
  label: Label,
): Promise<void> {
  addToTimeline(doer, issue, action, { label: { name: label.name, color: label.color } })
  await emitIssueChange({ doer, issue, action, more: { label: labelView(doer.box, doer.repo, label) } })
}
