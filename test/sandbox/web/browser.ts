import type { TestBox } from '../support.ts'

export interface Shown {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  readonly path: string
}

/** A browser session: keeps the cookie, follows redirects, and submits forms with the last page's token. */
export class Browser {
  readonly #box: TestBox
  #cookie = ''
  #csrf = ''

  constructor(box: TestBox) {
    this.#box = box
  }

  async see(path: string): Promise<Shown> {
    return await this.#request(path, {})
  }

  async press(path: string, fields: Readonly<Record<string, string>> = {}): Promise<Shown> {
    if (this.#csrf === '') await this.see('/')
    const body = new URLSearchParams({ csrf: this.#csrf, ...fields })
    return await this.#request(path, { method: 'POST', body })
  }

  /** Switches to a seeded user. */
  async be(login: string): Promise<this> {
    await this.press('/-/session', { login, back: '/' })
    return this
  }

  async #request(path: string, init: RequestInit): Promise<Shown> {
    const headers = this.#cookie === '' ? {} : { cookie: this.#cookie }
    const response = await fetch(`${this.#box.url}${path}`, { ...init, headers, redirect: 'manual' })
    this.#cookie = response.headers.get('set-cookie')?.split(';')[0] ?? this.#cookie
    const to = response.headers.get('location')
    if (to?.startsWith('/')) return await this.#request(to.split('#')[0] ?? '/', {})
    const text = await response.text()
    this.#csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? this.#csrf
    return { status: response.status, text, headers: response.headers, path }
  }
}
