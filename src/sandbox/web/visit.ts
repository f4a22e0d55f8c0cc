import type { Box } from '../box.ts'
import type { Html } from './html.ts'
import type { PageApi } from './page-api.ts'
import type { Session } from './session.ts'

/** One request for a page. */
export interface Visit {
  readonly box: Box
  readonly api: PageApi
  readonly session: Session
  readonly url: URL
  /** The parameters of the route. */
  readonly at: Readonly<Record<string, string>>
  /** The submitted form. Empty for a GET. */
  readonly form: URLSearchParams
}

export type PageReply =
  | { readonly kind: 'page'; readonly title: string; readonly body: Html }
  | { readonly kind: 'redirect'; readonly to: string; readonly cookie?: string }
  | {
      readonly kind: 'file'
      readonly bytes: Uint8Array | string
      readonly headers: Readonly<Record<string, string>>
    }

export interface PageRoute {
  readonly method: string
  readonly template: string
  readonly show: (visit: Visit) => Promise<PageReply>
}

/** `pageRoute('GET /{owner}/{repo}/issues', showIssues)`. A parameter `{…*}` may contain slashes. */
export function pageRoute(signature: string, show: PageRoute['show']): PageRoute {
  const [method = '', template = ''] = signature.split(' ')
  return { method, template, show }
}

/** The repository's path, `/owner/name`, where its pages start. */
export function homeOf(visit: Visit): string {
  return `/${encodeURIComponent(visit.at.owner ?? '')}/${encodeURIComponent(visit.at.repo ?? '')}`
}

/** The repository's path in the API: `/repos/owner/name`. */
export function repoApi(visit: Visit): string {
  return `/repos${homeOf(visit)}`
}

export function redirect(to: string): PageReply {
  return { kind: 'redirect', to }
}

/** The page number of a list, from 1. */
export function numberOfPage(visit: Visit): number {
  return Math.max(Number(visit.url.searchParams.get('page') ?? 1) || 1, 1)
}
