import type { ApiAnswer, ApiServer } from '../http/api-server.ts'
import { ApiError } from '../http/errors.ts'
import { Fields } from '../http/fields.ts'

/** Calls the API as the visitor, so that its permissions and webhooks apply. */
export class PageApi {
  readonly #api: ApiServer
  readonly #apiUrl: string
  readonly #token: string | undefined

  constructor(api: ApiServer, apiUrl: string, token: string | undefined) {
    this.#api = api
    this.#apiUrl = apiUrl
    this.#token = token
  }

  async get(path: string): Promise<Fields> {
    return new Fields(parse(await this.#call('GET', path)))
  }

  /** Undefined when the resource is missing or hidden from the visitor. */
  async find(path: string): Promise<Fields | undefined> {
    try {
      return await this.get(path)
    } catch (error) {
      if (error instanceof ApiError && [403, 404, 409, 410, 422].includes(error.status)) return undefined
      throw error
    }
  }

  /** A list, and whether there is a next page. */
  async list(path: string): Promise<{ readonly items: readonly Fields[]; readonly more: boolean }> {
    const answer = await this.#call('GET', path)
    const items = new Fields({ items: parse(answer) }).objects('items')
    return { items, more: (answer.headers.link ?? '').includes('rel="next"') }
  }

  /** A list, or an empty one on any error. */
  async findList(path: string): Promise<readonly Fields[]> {
    try {
      return (await this.list(path)).items
    } catch (error) {
      if (error instanceof ApiError) return []
      throw error
    }
  }

  /** The bytes of a file, or a diff as text. */
  async raw(path: string, media: 'raw' | 'diff' | 'patch' = 'raw'): Promise<Uint8Array> {
    const { body } = await this.#call('GET', path, undefined, `application/vnd.github.${media}`)
    return typeof body === 'string' ? Buffer.from(body) : body
  }

  async send(method: string, path: string, body: unknown = {}): Promise<Fields> {
    return new Fields(parse(await this.#call(method, path, body)))
  }

  async graphql(query: string, variables: Readonly<Record<string, unknown>>): Promise<void> {
    const answer = new Fields(parse(await this.#call('POST', '/graphql', { query, variables })))
    const problem = answer.objects('errors')[0]?.findText('message')
    if (problem !== undefined) throw new ApiError(422, problem)
  }

  /** The address that the API redirects a download to. */
  async findRedirect(path: string): Promise<string | undefined> {
    const answer = await this.#answer('GET', path)
    return answer.status === 302 ? answer.headers.location : undefined
  }

  async #call(method: string, path: string, body?: unknown, accept?: string): Promise<ApiAnswer> {
    const answer = await this.#answer(method, path, body, accept)
    if (answer.status < 400) return answer
    const told = new Fields(parse(answer))
    const reasons = told.objects('errors').map((one) => one.findText('message') ?? '')
    throw new ApiError(answer.status, [told.findText('message') ?? 'Error', ...reasons].join(' ').trim())
  }

  async #answer(method: string, path: string, body?: unknown, accept?: string): Promise<ApiAnswer> {
    const url = new URL(`${this.#apiUrl}${path}`)
    return await this.#api.answer({
      method,
      pathname: path.split('?')[0] ?? '',
      url,
      headers: {
        ...(this.#token === undefined ? {} : { authorization: `token ${this.#token}` }),
        accept: accept ?? 'application/vnd.github+json',
      },
      body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
      fromPage: true,
    })
  }
}

function parse(answer: ApiAnswer): unknown {
  const text = typeof answer.body === 'string' ? answer.body : Buffer.from(answer.body).toString('utf8')
  return text === '' ? {} : JSON.parse(text)
}
