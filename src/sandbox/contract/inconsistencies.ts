interface Inconsistency {
  /** Operation id with status, `path` or `query`, or a webhook's name. */
  readonly where: RegExp
  /** Matches the path in the document and the complaint. */
  readonly what: RegExp
  readonly why: string
}

/** Where GitHub's descriptions contradict GitHub's answers, or themselves. */
const INCONSISTENCIES: readonly Inconsistency[] = [
  {
    where: /^apps\/list-installations 200$/,
    what: /^\/\d+\/account /,
    why: 'the account is described as a user and an enterprise at once (allOf); elsewhere it is one of them',
  },
  {
    where: /./,
    what: /email must match format "email"/,
    why: 'the addresses that GitHub gives to bots, 1+app[bot]@users.noreply.github.com, do not match this format',
  },
  {
    where: /^actions\/list-workflow-runs(-for-repo)? query$/,
    what: /^\/created must match format "date-time"/,
    why: 'the parameter is a range in search syntax, such as >=2026-01-31, by its own description',
  },
  {
    where: /^actions\/.* path$/,
    what: /^\/workflow_id must match exactly one schema in oneOf/,
    why: 'an id in a path matches both the number and the text',
  },
  {
    where: /^issues\/set-labels body$/,
    what: /^(\/labels must NOT have fewer than 1 items| must match exactly one schema in oneOf)/,
    why: 'an empty list removes all labels, by its own description',
  },
  {
    where: /^(issues|issue-comment|pull-request)-/,
    what: /\/performed_via_github_app\/events\/\d+ must be equal to one of the allowed values/,
    why: 'the list of App events lacks newer events, such as workflow_job',
  },
  {
    where: / (4\d\d)$/,
    what: /^ must match exactly one schema in oneOf/,
    why: 'errors are described as one of several forms that have no required fields: a plain error matches all of them',
  },
]

/** True for a deviation that is listed as the description's own fault. */
export function isKnownInconsistency(where: string, path: string, message: string): boolean {
  return INCONSISTENCIES.some((known) => known.where.test(where) && known.what.test(`${path} ${message}`))
}
