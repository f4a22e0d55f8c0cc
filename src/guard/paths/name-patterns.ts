/**
 * Compiles patterns for folded paths. A pattern is a file name (`tox.ini`), a folder and all it contains (`.cargo/`), or the
 * end of a path (`testthat/setup*.r`). `*` stands for any part of one name, `{a,b}` for either. Patterns match at every depth,
 * unless they begin with a slash.
 */
export function createNameTest(patterns: readonly string[]): (folded: string) => boolean {
  const literal = patterns.filter((pattern) => !/[*{]|\/.|^\//.test(pattern))
  const names = new Set(literal.filter((pattern) => !pattern.endsWith('/')))
  const folders = new Set(literal.flatMap((pattern) => (pattern.endsWith('/') ? [pattern.slice(0, -1)] : [])))
  const others = patterns.filter((pattern) => !literal.includes(pattern))
  // Names apart from paths: trees may have many thousands of files, and each expression costs time.
  const isName = compile(others.filter((pattern) => !pattern.includes('/')))
  const isPath = compile(others.filter((pattern) => pattern.includes('/')))
  return (folded) => {
    const steps = folded.split('/')
    const name = steps.pop() ?? ''
    if (names.has(name) || steps.some((step) => folders.has(step))) return true
    return isName(name) || isPath(folded)
  }
}

function compile(patterns: readonly string[]): (text: string) => boolean {
  if (patterns.length === 0) return () => false
  const expression = new RegExp(patterns.map(toExpression).join('|'))
  return (text) => expression.test(text)
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
    .replace(/^\/?/, (slash) => (slash === '' && pattern.includes('/') ? '(?:^|/)' : '^'))
  return pattern.endsWith('/') ? source : `${source}$`
}
