import { listCommits } from '../../git/history.ts'
import { type FullCommit, readFullCommit } from '../../git/objects/commits.ts'
import type { Box } from '../box.ts'
import { latestRuns, runsOf, suitesAt } from '../checks/checks.ts'
import type { BareRepository } from '../git/bare-repository.ts'
import type { Mover, RefMove } from '../git/ref-move.ts'
import { isVerified } from '../git/web-signature.ts'
import { Fields } from '../http/fields.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import { readTextPattern } from './patterns.ts'
import { bypassOf, type Rule, rulesetsFor } from './rulesets.ts'

/** A ref about to move. `git` must see the new objects, which a push has not published yet. */
export interface PendingMove extends RefMove {
  readonly mover: Mover
  /** The head of the pull request being merged, if any. Some rules require one. */
  readonly pullHead: string | undefined
}

interface Case {
  readonly box: Box
  readonly repo: RepositoryDocument
  readonly git: BareRepository
  readonly move: PendingMove
}

/** Finds the rules that a move violates, in GitHub's words. */
export async function findViolations(
  box: Box,
  repo: RepositoryDocument,
  git: BareRepository,
  move: PendingMove,
): Promise<string[]> {
  const said: string[] = []
  for (const ruleset of rulesetsFor(box, repo, move.ref)) {
    const bypass = bypassOf(repo, ruleset, move.mover)
    if (bypass === 'always' || (bypass === 'pull_requests_only' && move.pullHead !== undefined)) continue
    for (const rule of ruleset.rules) {
      const violation = await checkRule({ box, repo, git, move }, rule)
      if (violation !== undefined && !said.includes(violation)) said.push(violation)
    }
  }
  return said
}

type RefRule = (given: Case, rule: Rule) => string | undefined

const REF_RULES: Readonly<Record<string, RefRule>> = {
  creation: ({ move }) =>
    move.before === undefined ? 'Cannot create ref due to creations being restricted.' : undefined,
  update: ({ move }) => (isUpdate(move) ? 'Cannot update this protected ref.' : undefined),
  deletion: ({ move }) => (move.after === undefined ? 'Cannot delete this branch' : undefined),
  non_fast_forward: ({ move }) => (move.forced ? 'Cannot force-push to this branch' : undefined),
  pull_request: ({ move }) =>
    isUpdate(move) && move.pullHead === undefined
      ? 'Changes must be made through a pull request.'
      : undefined,
  required_status_checks: checkStatuses,
  branch_name_pattern: checkName,
  tag_name_pattern: checkName,
}

function isUpdate({ before, after }: RefMove): boolean {
  return before !== undefined && after !== undefined && before !== after
}

async function checkRule(given: Case, rule: Rule): Promise<string | undefined> {
  return REF_RULES[rule.type]?.(given, rule) ?? (await checkCommits(given, rule))
}

function checkName({ move }: Case, rule: Rule): string | undefined {
  if (move.before !== undefined) return undefined
  const pattern = readTextPattern(rule.parameters)
  const kind = rule.type === 'tag_name_pattern' ? 'Tag' : 'Branch'
  return pattern.test(move.ref.replace(/^refs\/(heads|tags)\//, ''))
    ? undefined
    : `${kind} name ${pattern.wording}`
}

function checkStatuses({ box, repo, move }: Case, rule: Rule): string | undefined {
  if (!isUpdate(move) || move.after === undefined) return undefined
  const suites = suitesAt(box.store, repo.id, move.pullHead ?? move.after)
  const passed = latestRuns(suites.flatMap((suite) => runsOf(box.store, suite)))
    .filter(({ conclusion }) => ['success', 'neutral', 'skipped'].includes(conclusion ?? ''))
    .map(({ name }) => name)
  const missing = new Fields(rule.parameters)
    .objects('required_status_checks')
    .map((check) => check.text('context'))
    .find((context) => !passed.includes(context))
  return missing === undefined ? undefined : `Required status check "${missing}" is expected.`
}

type CommitRule = (commit: FullCommit, rule: Rule, box: Box) => string | undefined

const COMMIT_RULES: Readonly<Record<string, CommitRule>> = {
  required_signatures: (commit, _, box) =>
    isVerified(box, commit) ? undefined : 'Commits must have verified signatures.',
  required_linear_history: (commit) =>
    commit.parents.length > 1 ? 'This branch must not contain merge commits.' : undefined,
  commit_message_pattern: (commit, rule) => checkText('Commit message', commit.message.trimEnd(), rule),
  commit_author_email_pattern: (commit, rule) => checkText('Author email', commit.author.email, rule),
  committer_email_pattern: (commit, rule) => checkText('Committer email', commit.committer.email, rule),
}

function checkText(what: string, text: string, rule: Rule): string | undefined {
  const pattern = readTextPattern(rule.parameters)
  return pattern.test(text) ? undefined : `${what} ${pattern.wording}`
}

// Commit rules apply only to commits that no ref has yet.
async function checkCommits({ box, git, move }: Case, rule: Rule): Promise<string | undefined> {
  const check = COMMIT_RULES[rule.type]
  if (check === undefined || move.after === undefined) return undefined
  const added = await listCommits(git.repository, { revisions: [move.after, '--not', '--all'] })
  for (const id of added) {
    const violation = check(await readFullCommit(git.objects, id), rule, box)
    if (violation !== undefined) return violation
  }
  return undefined
}
