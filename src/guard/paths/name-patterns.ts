/**
 * Compiles patterns for folded paths. A pattern is a file name (`tox.ini`), a folder and all it contains (`.cargo/`), or the
 * end of a path (`testthat/setup*.r`). `*` stands for any part of one name, `{a,b}` for either. Patterns match at every depth,
 * unless they begin with a slash.
 */
export function createNameTest(patterns: readonly string[]): (folded: string) => boolean {
  const literal = patterns.filter((pattern) => !/[*{]|\/.|^\//.test(pattern))
  const names = new Set(literal.filter((pattern) => !pattern.endsWith('/')))
  const folders = new Set(literal.flatMap((pattern) => (pattern.endsWith('/') ? [pattern.slice(0, -1)] : [])))
  const others = patterns.filter((pattern) => !literal.includes(pattern)).map(toExpression)
  const expression = others.length === 0 ? undefined : new RegExp(others.join('|'))
  return (folded) => {
    const steps = folded.split('/')
    if (names.has(steps.pop() ?? '') || steps.some((step) => folders.has(step))) return true
    return expression?.test(folded) === true
  }
}

/** The patterns of a table's cell, which are separated by white space. */
export function splitPatterns(cell: string): string[] {
  return cell.trim().split(/\s+/)
}

function toExpression(pattern: string): string {
  const source = pattern
    .replaceAll(/[.+^$()|[\]\\?]/g, '\\$&')
    .replaceAll('*', '[^/]*')
    .replaceAll(/\{([^{}]*)\}/g, (_, list: string) => `(?:${list.replaceAll(',', '|')})`)
    .replace(/^\/?/, (slash) => (slash === '' ? '(?:^|/)' : '^'))
  return pattern.endsWith('/') ? source : `${source}$`
}
