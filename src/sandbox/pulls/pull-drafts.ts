import { assertAccess } from '../access/permissions.ts'
import type { Call, Family, RepoCall } from '../box.ts'
import { findNumberInNodeId, nodeId } from '../format.ts'
import { editFields } from '../graphql/edit-fields.ts'
import { ApiError } from '../http/errors.ts'
import type { Fields } from '../http/fields.ts'
import { assertOwnOrWriter } from '../issues/issue-access.ts'
import { doerOf } from '../issues/issue-changes.ts'
import { repoHtmlUrl } from '../repos/repository-view.ts'
import { repositories } from '../state/documents.ts'
import { findMergeability } from './mergeability.ts'
import { READ_PULL, WRITE_PULL } from './pull-access.ts'
import { setDraft } from './pull-changes.ts'
import { findPull, findPullById, type Pull } from './pulls.ts'

/** Only GraphQL can make a draft ready, or a pull request a draft. */
export const pullDraftsFamily: Family = {
  routes: [],
  graphql: {
    repository: { pullRequest: findByNumber },
    mutations: {
      markPullRequestReadyForReview: (call, args) => change(call, args, false),
      convertPullRequestToDraft: (call, args) => change(call, args, true),
    },
  },
}

function findByNumber(call: RepoCall, args: Fields) {
  const number = args.number('number')
  const found = findPull(call.box.store, call.repo.id, number)
  if (found === undefined) {
    throw new ApiError(404, `Could not resolve to a PullRequest with the number of ${number}.`)
  }
  assertAccess(call.actor, call.repo, READ_PULL, false)
  return pullObject(call, found)
}

async function change(call: Call, args: Fields, draft: boolean) {
  const input = args.findObject('input')
  const id = input?.text('pullRequestId') ?? ''
  const found = findPullById(call.box.store, findNumberInNodeId('PR', id) ?? 0)
  const repo = repositories(call.box.store).find(found?.pull.repositoryId ?? 0)
  if (found === undefined || repo === undefined) {
    throw new ApiError(404, `Could not resolve to a node with the global id of '${id}'`)
  }
  assertAccess(call.actor, repo, WRITE_PULL, true)
  const repoCall: RepoCall = { ...call, repo, git: await call.box.git.get(repo.id) }
  assertOwnOrWriter(repoCall, found.issue.author)
  if (found.issue.state === 'closed') throw new ApiError(422, 'Pull request is closed.')
  await setDraft(doerOf(repoCall), found.pull.number, draft)
  const after = findPullById(call.box.store, found.pull.id) ?? found
  const clientMutationId = input?.findText('clientMutationId') ?? null
  return { clientMutationId, pullRequest: pullObject(repoCall, after) }
}

const MERGEABLE = { true: 'MERGEABLE', false: 'CONFLICTING', null: 'UNKNOWN' } as const

/** The type PullRequest. */
export function pullObject(call: RepoCall, whole: Pull) {
  const { box, repo } = call
  const { pull, issue } = whole
  return {
    __typename: 'PullRequest',
    id: nodeId('PR', pull.id),
    databaseId: pull.id,
    number: pull.number,
    title: issue.title,
    body: issue.body ?? '',
    isDraft: pull.draft,
    state: pull.merged === null ? issue.state.toUpperCase() : 'MERGED',
    merged: pull.merged !== null,
    mergeable: async () => MERGEABLE[`${(await findMergeability(box, repo, whole)).mergeable}`],
    url: `${repoHtmlUrl(box, repo)}/pull/${pull.number}`,
    headRefName: pull.head.ref,
    headRefOid: pull.head.sha,
    baseRefName: pull.base.ref,
    baseRefOid: pull.base.sha,
    ...editFields(call, issue.lastEdit),
  }
}
