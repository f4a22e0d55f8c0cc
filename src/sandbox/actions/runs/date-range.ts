/** True when a time is within a range in GitHub's search syntax: `>=2026-01-31`, `<…`, `a..b`, `*..b` or a day. */
export function isInDateRange(time: string, range: string | undefined): boolean {
  if (range === undefined) return true
  const at = Date.parse(time)
  const [from, to] = range.split('..')
  if (from !== undefined && to !== undefined) {
    return (from === '*' || at >= Date.parse(from)) && (to === '*' || at <= endOf(to))
  }
  const [, sign = '', moment = ''] = /^(>=|<=|>|<)?(.*)$/.exec(range) ?? []
  switch (sign) {
    case '>':
      return at > endOf(moment)
    case '>=':
      return at >= Date.parse(moment)
    case '<':
      return at < Date.parse(moment)
    case '<=':
      return at <= endOf(moment)
    default:
      return at >= Date.parse(moment) && at <= endOf(moment)
  }
}

// A day without a time ends at midnight.
function endOf(moment: string): number {
  return Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(moment) ? `${moment}T23:59:59Z` : moment)
}
