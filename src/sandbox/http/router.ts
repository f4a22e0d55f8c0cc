import type { Route } from '../box.ts'

export interface Match {
  readonly route: Route
  readonly path: Record<string, unknown>
}

interface Compiled {
  readonly route: Route
  readonly pattern: RegExp
  readonly names: readonly string[]
}

/** Parameters whose values may contain slashes, encoded or not. */
const SPANNING = new Set(['ref', 'path', 'basehead', 'branch', 'dir'])

/** Finds the route of a request. The fewest parameters win, then the longest template. */
export class Router {
  readonly #byMethod = new Map<string, Compiled[]>()

  constructor(routes: readonly Route[]) {
    for (const route of [...routes].sort(bySpecificity)) {
      const same = this.#byMethod.get(route.method) ?? []
      this.#byMethod.set(route.method, [...same, compile(route)])
    }
  }

  find(method: string, pathname: string): Match | undefined {
    for (const { route, pattern, names } of this.#byMethod.get(method) ?? []) {
      const found = pattern.exec(pathname)
      if (found === null) continue
      const values = names.map((name, index) => [name, decode(found[index + 1] ?? '')] as const)
      return { route, path: Object.fromEntries(values) }
    }
    return undefined
  }
}

function compile(route: Route): Compiled {
  const names: string[] = []
  const pattern = route.template.replace(/\/?\{([a-z_]+)\}|[.]/g, (part, name: string | undefined) => {
    if (name === undefined) return '\\.'
    names.push(name)
    // The root of the contents is `/contents`, `/contents/` or an empty path.
    if (name === 'path') return '(?:/(.*?))?'
    return `${part.startsWith('/') ? '/' : ''}${SPANNING.has(name) ? '(.+?)' : '([^/]+)'}`
  })
  return { route, pattern: new RegExp(`^${pattern}/?$`), names }
}

function bySpecificity(a: Route, b: Route): number {
  const parameters = (route: Route): number => route.template.split('{').length
  return parameters(a) - parameters(b) || b.template.length - a.template.length
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    // A `%` that is not an escape stays as it is.
    if (error instanceof URIError) return text
    throw error
  }
}
