import picomatch from 'picomatch'

/** Whether a list of patterns matches a path (posix, relative to the root). */
export type PathMatcher = (path: string) => boolean

/** How strictly patterns match. */
export interface PatternOptions {
  /** For what must not be touched: on some file systems `EVAL.py` is `eval.py`. */
  readonly ignoreCase: boolean
  /** Patterns are paths from the root, whether or not they hold a slash. */
  readonly anchored?: boolean
}

/**
 * Patterns as in .gitignore: a pattern without a slash before its end matches at every depth, otherwise from the root; one
 * that matches a folder includes everything below; a trailing slash means folders only. Unlike there, `!` is literal (the
 * config refuses it: exceptions belong under protected), braces (`*.{js,ts}`) work, and a pattern also matches literally,
 * so `app/[id].ts` means the file of that name.
 */
export function createPathMatcher(patterns: readonly string[], options: PatternOptions): PathMatcher {
  const matchers = patterns.map((pattern) => createMatcher(pattern.normalize('NFC'), options))
  return (path) => {
    const normal = path.normalize('NFC')
    return matchers.some((matches) => matches(normal))
  }
}

function createMatcher(pattern: string, options: PatternOptions): PathMatcher {
  const foldersOnly = /\/(\*\*)?$/.test(pattern)
  const trimmed = pattern.replace(/\/+$/, '')
  const anchored = options.anchored === true || trimmed.includes('/')
  const relative = trimmed.replace(/^\.?\/+/, '').replace(/(\/\*\*)+$/, '')
  if (relative === '') return () => false
  const depth = anchored ? '' : '**/'
  const globs = [escapeGroups(relative), escapeAll(relative)].flatMap((glob) => {
    const below = `${depth}${glob}/**/*`
    return foldersOnly ? [below] : [`${depth}${glob}`, below]
  })
  // Negation and extglobs are off: a pattern has one meaning, ours, and parentheses are part of names.
  const matches = picomatch([...new Set(globs)], {
    dot: true,
    nocase: options.ignoreCase,
    nonegate: true,
    noextglob: true,
    keepQuotes: true,
    windows: false,
  })
  return (path) => matches(path)
}

// Picomatch hands these to the regular expression as they are, where they would group and alternate.
function escapeGroups(pattern: string): string {
  return pattern.replace(/(?<!\\)[()|]/g, '\\$&')
}

function escapeAll(pattern: string): string {
  return pattern.replace(/[\\()|[\]{}*?!+@]/g, '\\$&')
}
