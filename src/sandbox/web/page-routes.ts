import { ACTIONS_PAGES } from './pages/actions.ts'
import { CHECK_PAGES } from './pages/checks.ts'
import { COMMIT_PAGES } from './pages/commits.ts'
import { DELIVERY_PAGES } from './pages/deliveries.ts'
import { FILE_PAGES } from './pages/files.ts'
import { HOME_PAGES } from './pages/home.ts'
import { ISSUE_PAGES } from './pages/issues.ts'
import { PULL_PAGES } from './pages/pulls.ts'
import { SWITCH_PAGES } from './pages/switches.ts'
import type { PageRoute } from './visit.ts'

const PAGES: readonly PageRoute[] = [
  ...HOME_PAGES,
  ...DELIVERY_PAGES,
  ...SWITCH_PAGES,
  ...FILE_PAGES,
  ...COMMIT_PAGES,
  ...ISSUE_PAGES,
  ...PULL_PAGES,
  ...CHECK_PAGES,
  ...ACTIONS_PAGES,
]

const COMPILED = PAGES.map((route) => ({ route, ...compile(route.template) }))

/** The page route of an address, with its parameters. */
export function findPage(
  method: string,
  pathname: string,
): { readonly route: PageRoute; readonly at: Readonly<Record<string, string>> } | undefined {
  for (const { route, pattern, names } of COMPILED) {
    const found = route.method === method ? pattern.exec(pathname) : null
    if (found === null) continue
    const values = names.map((name, index) => [name, decode(found[index + 1] ?? '')] as const)
    return { route, at: Object.fromEntries(values) }
  }
  return undefined
}

// `{name}` is one segment of the path, `{name*}` the rest of it.
function compile(template: string): { readonly pattern: RegExp; readonly names: readonly string[] } {
  const names: string[] = []
  const pattern = template.replace(
    /\{([a-z]+)(\*?)\}|[.]/g,
    (_part, name: string | undefined, star: string) => {
      if (name === undefined) return '\\.'
      names.push(name)
      return star === '*' ? '(.+)' : '([^/]+)'
    },
  )
  return { pattern: new RegExp(`^${pattern}/?$`), names }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}
