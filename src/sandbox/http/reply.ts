import type { Fields } from './fields.ts'

/** The part of a call that paging needs. */
interface Paged {
  readonly url: URL
  readonly query: Fields
}

/** A handler's answer. `json` is checked against the contract. `content` is sent unchanged. */
export interface Reply {
  readonly status: number
  readonly json?: unknown
  readonly content?: { readonly type: string; readonly bytes: string | Uint8Array }
  readonly headers?: Readonly<Record<string, string>>
}

export const ok = (json: unknown): Reply => ({ status: 200, json })
export const created = (json: unknown): Reply => ({ status: 201, json })
export const noContent = (): Reply => ({ status: 204 })

/** An answer that is not JSON, such as a raw file or a diff. */
export function content(type: string, bytes: string | Uint8Array): Reply {
  return { status: 200, content: { type, bytes } }
}

export function redirect(location: string): Reply {
  return { status: 302, headers: { location } }
}

/** One page of a list, with the Link header. Only the items of the page are rendered. */
export async function list<Item>(
  call: Paged,
  items: readonly Item[],
  view: (item: Item) => unknown,
): Promise<Reply> {
  const page = cutPage(call, items)
  return { ...ok(await Promise.all(page.items.map(view))), headers: page.headers }
}

/** One page as `{ total_count, [name]: […] }`, the form of checks, runs and others. */
export async function listIn<Item>(
  call: Paged,
  name: string,
  items: readonly Item[],
  view: (item: Item) => unknown,
): Promise<Reply> {
  const page = cutPage(call, items)
  const viewed = await Promise.all(page.items.map(view))
  return { ...ok({ total_count: items.length, [name]: viewed }), headers: page.headers }
}

/** The part of a list selected by `page` and `per_page`. */
export function cutPage<Item>(
  call: Paged,
  items: readonly Item[],
): { readonly items: readonly Item[]; readonly headers: Readonly<Record<string, string>> } {
  const size = Math.min(Math.max(call.query.findNumber('per_page') ?? 30, 1), 100)
  const number = Math.max(call.query.findNumber('page') ?? 1, 1)
  const last = Math.max(Math.ceil(items.length / size), 1)
  const links = [
    ...(number > 1 ? [link(call, number - 1, 'prev')] : []),
    ...(number < last ? [link(call, number + 1, 'next'), link(call, last, 'last')] : []),
    ...(number > 1 ? [link(call, 1, 'first')] : []),
  ]
  return {
    items: items.slice((number - 1) * size, number * size),
    headers: links.length === 0 ? {} : { link: links.join(', ') },
  }
}

function link(call: Paged, page: number, rel: string): string {
  const url = new URL(call.url)
  url.searchParams.set('page', String(page))
  return `<${url.href}>; rel="${rel}"`
}
