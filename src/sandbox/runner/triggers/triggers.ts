import { findMergeBase } from '../../../git/history.ts'
import { readFullCommit } from '../../../git/objects/commits.ts'
import { actionsSettings } from '../../actions/actions-settings.ts'
import type { Workflow } from '../../actions/documents.ts'
import { queueRun } from '../../actions/runs/runs.ts'
import { listWorkflowsAt } from '../../actions/workflows/workflows.ts'
import type { Box, BoxEvent, Family } from '../../box.ts'
import { Fields } from '../../http/fields.ts'
import { findPull } from '../../pulls/pulls.ts'
import { testMerge } from '../../pulls/test-merge.ts'
import { EMPTY_TREE } from '../../repos/commit-view.ts'
import { repositoryView } from '../../repos/repository-view.ts'
import type { RepositoryDocument } from '../../state/documents.ts'
import { userView } from '../../users/user-view.ts'
import { readWorkflow } from '../syntax/workflow-definition.ts'
import { type Trigger, wantsTrigger } from './event-filters.ts'

/** Events start runs if there is a runner. */
export const workflowTriggersFamily: Family = {
  routes: [],
  onEvent: async (box, event) => {
    if (box.runners.size > 0) await startTriggered(box, event)
  },
}

/** Events that start workflows. A dispatch starts its run itself. */
const TRIGGERS = new Set([
  ...[
    'push',
    'pull_request',
    'pull_request_review',
    'pull_request_review_comment',
    'issues',
    'issue_comment',
  ],
  ...['label', 'create', 'delete', 'repository_dispatch', 'workflow_run', 'schedule'],
])

/** The commit whose workflows an event may start, and the ref of their runs. */
interface TriggerTarget {
  readonly ref: string
  readonly headSha: string
  readonly mergeSha?: string
  /** The commit that changed files are compared with. */
  readonly before?: string
  /** True for `push` and `pull_request`, which a commit message can skip. */
  readonly isSkippable: boolean
}

/** Starts the workflows that an event triggers, by GitHub's rules. */
export async function startTriggered(box: Box, event: BoxEvent): Promise<void> {
  const { repo, name } = event
  if (repo === undefined || !TRIGGERS.has(name) || !actionsSettings(box, repo).enabled) return
  // Events caused by a job's token start nothing, or workflows could trigger each other forever.
  if (event.runId !== undefined && name !== 'repository_dispatch') return
  const payload = new Fields(event.payload)
  if (payload.findObject('workflow_run')?.findText('event') === 'workflow_run') return
  const target = await findTarget(box, repo, event)
  if (target === undefined || (target.isSkippable && (await asksToSkip(box, repo, target.headSha)))) return
  const trigger = readTrigger(box, repo, { event, target })
  for (const { workflow, text } of await listWorkflowsAt(box, repo, target.mergeSha ?? target.headSha)) {
    const reading = readWorkflow(workflow.path, text)
    const isWanted = reading.status === 'valid' && (await wantsTrigger(reading.definition.events, trigger))
    if (isWanted && workflow.state === 'active') await start(box, repo, { event, target, workflow })
  }
}

async function start(
  box: Box,
  repo: RepositoryDocument,
  { event, target, workflow }: { event: BoxEvent; target: TriggerTarget; workflow: Workflow },
): Promise<void> {
  const git = await box.git.get(repo.id)
  const payload = new Fields(event.payload)
  const about = payload.findObject('pull_request') ?? payload.findObject('issue')
  const [subject = ''] = (await readFullCommit(git.objects, target.headSha)).message.split('\n')
  const { mergeSha } = target
  await queueRun(box, repo, {
    workflow,
    event: event.name,
    payload: { ...event.payload, repository: repositoryView(box, repo), sender: userView(box, event.sender) },
    ref: target.ref,
    headSha: target.headSha,
    ...(mergeSha === undefined ? {} : { mergeSha }),
    title: about?.findText('title') ?? (event.name === 'push' ? subject : workflow.name),
    actor: event.sender,
  })
}

async function findTarget(
  box: Box,
  repo: RepositoryDocument,
  event: BoxEvent,
): Promise<TriggerTarget | undefined> {
  const git = await box.git.get(repo.id)
  const payload = new Fields(event.payload)
  if (event.name === 'push') {
    const head =
      payload.findFlag('deleted') === true ? undefined : await git.find(`${payload.text('after')}^{commit}`)
    const before = payload.text('before')
    const isNew = /^0+$/.test(before)
    const target = { ref: payload.text('ref'), headSha: head?.id ?? '', isSkippable: true }
    return head === undefined ? undefined : { ...target, ...(isNew ? {} : { before }) }
  }
  if (event.name.startsWith('pull_request')) return await findPullTarget(box, repo, payload)
  const ref = `refs/heads/${repo.defaultBranch}`
  const head = await git.find(`${ref}^{commit}`)
  return head === undefined ? undefined : { ref, headSha: head.id, isSkippable: false }
}

// Jobs of a pull request see it merged into its base. With conflicts, none start.
async function findPullTarget(
  box: Box,
  repo: RepositoryDocument,
  payload: Fields,
): Promise<TriggerTarget | undefined> {
  const number = payload.findObject('pull_request')?.number('number') ?? 0
  const found = findPull(box.store, repo.id, number)
  if (found === undefined || found.pull.merged !== null) return undefined
  const merged = await testMerge(box, repo, found.pull)
  if (merged.status !== 'clean') return undefined
  const git = await box.git.get(repo.id)
  const headSha = found.pull.head.sha
  const before = await findMergeBase(git.repository, merged.base, headSha)
  return {
    ref: `refs/pull/${number}/merge`,
    headSha,
    mergeSha: merged.commit,
    isSkippable: true,
    ...(before === undefined ? {} : { before }),
  }
}

const SKIP_WORDS = /\[(skip ci|ci skip|no ci|skip actions|actions skip)\]/i
const SKIP_TRAILER = /\n\n(?:.*\n)*skip-checks: ?true\s*$/i

async function asksToSkip(box: Box, repo: RepositoryDocument, sha: string): Promise<boolean> {
  const git = await box.git.get(repo.id)
  const { message } = await readFullCommit(git.objects, sha)
  return SKIP_WORDS.test(message) || SKIP_TRAILER.test(message)
}

function readTrigger(
  box: Box,
  repo: RepositoryDocument,
  { event, target }: { event: BoxEvent; target: TriggerTarget },
): Trigger {
  const payload = new Fields(event.payload)
  const base = payload.findObject('pull_request')?.findObject('base')?.findText('ref')
  const pushed = event.name === 'push' ? target.ref : ''
  const branch = pushed.startsWith('refs/heads/') ? pushed.slice('refs/heads/'.length) : undefined
  return {
    name: event.name,
    action: payload.findText('action'),
    branch: base ?? branch ?? payload.findObject('workflow_run')?.findText('head_branch'),
    tag: pushed.startsWith('refs/tags/') ? pushed.slice('refs/tags/'.length) : undefined,
    workflow: payload.findObject('workflow')?.findText('name'),
    schedule: event.name === 'schedule' ? payload.text('schedule') : undefined,
    changedPaths: async () => {
      const git = await box.git.get(repo.id)
      const files = await git.diff(target.before ?? (await parentOf(box, repo, target)), target.headSha)
      return files.flatMap((file) => [
        file.path,
        ...(file.previousPath === undefined ? [] : [file.previousPath]),
      ])
    },
  }
}

async function parentOf(box: Box, repo: RepositoryDocument, { headSha }: TriggerTarget): Promise<string> {
  const git = await box.git.get(repo.id)
  return (await readFullCommit(git.objects, headSha)).parents[0] ?? EMPTY_TREE
}
