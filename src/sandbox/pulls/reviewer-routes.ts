import type { Family, RepoCall } from '../box.ts'
import { ApiError } from '../http/errors.ts'
import { created, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { addToTimeline, doerOf, touchIssue } from '../issues/issue-changes.ts'
import { findRole, findUser } from '../state/lookups.ts'
import { loginView } from '../users/user-view.ts'
import { getPull, PULL, READ_PULL } from './pull-access.ts'
import { emitPull } from './pull-changes.ts'
import { pullView } from './pull-view.ts'
import { type Pull, savePull } from './pulls.ts'

const WRITE = { needs: { pull_requests: 'write' }, role: 'triage' } as const
const REVIEWERS = `${PULL}/requested_reviewers`

/** Requested reviewers. Teams are not supported. */
export const pullReviewersFamily: Family = {
  routes: [
    repoRoute(`GET ${REVIEWERS}`, READ_PULL, (call) => {
      const logins = getPull(call).pull.requestedReviewers
      return ok({ users: logins.map((login) => loginView(call.box, login)), teams: [] })
    }),
    repoRoute(`POST ${REVIEWERS}`, WRITE, request),
    repoRoute(`DELETE ${REVIEWERS}`, WRITE, withdraw),
  ],
}

async function request(call: RepoCall): Promise<Reply> {
  const whole = getPull(call)
  for (const login of call.body.findTexts('reviewers') ?? []) assertReviewer(call, whole, login)
  for (const login of call.body.findTexts('reviewers') ?? []) {
    const { pull } = getPull(call)
    if (pull.requestedReviewers.includes(login)) continue
    await set(call, [...pull.requestedReviewers, login], { action: 'review_requested', login })
  }
  return created(pullView(call.box, call.repo, getPull(call)))
}

function assertReviewer({ box, repo }: RepoCall, { issue }: Pull, login: string): void {
  if (login.toLowerCase() === issue.author.toLowerCase()) {
    throw new ApiError(422, 'Review cannot be requested from pull request author.')
  }
  const isCollaborator = Object.keys(repo.collaborators).some((one) => one === login)
  if (findUser(box.store, login) === undefined || !isCollaborator || findRole(repo, login) === undefined) {
    const rule = 'Reviews may only be requested from collaborators.'
    throw new ApiError(422, `${rule} One or more of the users or teams you specified is not a collaborator.`)
  }
}

async function withdraw(call: RepoCall): Promise<Reply> {
  for (const login of call.body.findTexts('reviewers') ?? []) {
    const { requestedReviewers } = getPull(call).pull
    if (!requestedReviewers.includes(login)) continue
    const rest = requestedReviewers.filter((one) => one !== login)
    await set(call, rest, { action: 'review_request_removed', login })
  }
  return ok(pullView(call.box, call.repo, getPull(call)))
}

async function set(
  call: RepoCall,
  requestedReviewers: readonly string[],
  { action, login }: { readonly action: string; readonly login: string },
): Promise<void> {
  const { pull, issue } = getPull(call)
  const doer = doerOf(call)
  savePull(call.box.store, { ...pull, requestedReviewers })
  addToTimeline(doer, touchIssue(call.box, issue, {}), action, { requestedReviewer: login })
  await emitPull(doer, pull.number, { action, requested_reviewer: loginView(call.box, login) })
}
