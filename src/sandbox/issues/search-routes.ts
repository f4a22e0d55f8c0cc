import { canUse } from '../access/permissions.ts'
import type { Call, Family } from '../box.ts'
import { validationFailed } from '../http/errors.ts'
import { listIn, type Reply } from '../http/reply.ts'
import { route } from '../http/route.ts'
import { labelsOn } from '../labels/labels.ts'
import { type RepositoryDocument, repositories } from '../state/documents.ts'
import { sortIssues } from './issue-filters.ts'
import { issueView } from './issue-view.ts'
import { type Issue, issuesOf } from './issues.ts'

/** Search, for issues and pull requests only. */
export const searchFamily: Family = {
  routes: [route('GET /search/issues', 'anyone', searchIssues)],
}

interface Found {
  readonly repo: RepositoryDocument
  readonly issue: Issue
}

/** One term of a query, such as `-label:"good first"`: a qualifier, or plain text. */
interface Term {
  readonly not: boolean
  readonly key: string
  readonly value: string
}

async function searchIssues(call: Call): Promise<Reply> {
  const terms = parseQuery(call.query.text('q'))
  const found = repositories(call.box.store)
    .all()
    .filter((repo) => canUse(call.actor, repo, { issues: 'read' }))
    .flatMap((repo) => issuesOf(call.box.store, repo.id).map((issue) => ({ repo, issue })))
    .filter((one) => terms.every((term) => matches(call, term, one) !== term.not))
  const reply = await listIn(call, 'items', sorted(call, found), (one) => resultView(call, one))
  const json = typeof reply.json === 'object' ? reply.json : {}
  return { ...reply, json: { ...json, incomplete_results: false, search_type: 'lexical' } }
}

function sorted(call: Call, found: readonly Found[]): Found[] {
  const repoOf = new Map(found.map(({ issue, repo }) => [issue, repo]))
  const { query } = call
  const order = query.findText('order') ?? 'desc'
  const issues = sortIssues([...repoOf.keys()], query.findText('sort') ?? 'created', order)
  return issues.flatMap((issue) => {
    const repo = repoOf.get(issue)
    return repo === undefined ? [] : [{ issue, repo }]
  })
}

function resultView(call: Call, { repo, issue }: Found) {
  const { body, ...view } = issueView(call.box, repo, issue)
  return { ...view, ...(body === null ? {} : { body }), score: 1 }
}

function parseQuery(query: string): Term[] {
  const parts = query.match(/-?(?:[a-z-]+:)?(?:"[^"]*"|[^\s"]+)/gi) ?? []
  if (parts.length === 0) throw validationFailed({ resource: 'Search', field: 'q', code: 'missing' })
  return parts.map((part) => {
    const [, minus, key, value = ''] = /^(-?)(?:([a-z-]+):)?(.*)$/is.exec(part) ?? []
    return {
      not: minus === '-',
      key: (key ?? 'text').toLowerCase(),
      value: value.replaceAll('"', '').toLowerCase(),
    }
  })
}

type Test = (call: Call, value: string, found: Found) => boolean

const KINDS: Readonly<Record<string, (issue: Issue) => boolean>> = {
  issue: (issue) => issue.pull === undefined,
  pr: (issue) => issue.pull !== undefined,
  'pull-request': (issue) => issue.pull !== undefined,
  open: (issue) => issue.state === 'open',
  closed: (issue) => issue.state === 'closed',
  merged: (issue) => (issue.pull?.mergedAt ?? null) !== null,
  draft: (issue) => issue.pull?.draft === true,
  locked: (issue) => issue.locked,
}

const isKind: Test = (_call, value, { issue }) => KINDS[value]?.(issue) ?? false
const isOwner: Test = (_call, value, { repo }) => repo.owner.toLowerCase() === value

const TESTS: Readonly<Record<string, Test>> = {
  text: (_call, value, { issue }) => `${issue.title}\n${issue.body ?? ''}`.toLowerCase().includes(value),
  repo: (_call, value, { repo }) => `${repo.owner}/${repo.name}`.toLowerCase() === value,
  org: isOwner,
  user: isOwner,
  is: isKind,
  type: isKind,
  state: isKind,
  author: (_call, value, { issue }) => issue.author.toLowerCase() === value,
  assignee: (_call, value, { issue }) => issue.assignees.some((login) => login.toLowerCase() === value),
  label: (call, value, { issue }) =>
    labelsOn(call.box.store, issue).some((label) => label.name.toLowerCase() === value),
  // The sandbox always searches titles and bodies.
  in: () => true,
}

function matches(call: Call, term: Term, found: Found): boolean {
  const test = TESTS[term.key]
  if (test === undefined) throw validationFailed({ resource: 'Search', field: 'q', code: 'invalid' })
  return test(call, term.value, found)
}
