import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Box } from '../box.ts'
import { tokens } from '../state/documents.ts'
import { defineTable } from '../state/store.ts'

/** Who looks at the page. Nobody has a password: anyone at this machine may be any seeded user. */
export interface Session {
  /** Undefined before somebody was picked. */
  readonly login: string | undefined
  /** Forms carry it, so that another site cannot make a browser send them. */
  readonly csrf: string
}

const COOKIE = 'box_session'
const keys = defineTable<string>('page-keys')

/** Reads the session's cookie; one that is missing or forged reads as undefined. */
export function findSession(box: Box, cookies: string | undefined): Session | undefined {
  const value = findCookie(cookies ?? '')
  const [login = '', nonce = '', signature = ''] = (value ?? '').split('.')
  if (nonce === '' || !equals(signature, sign(box, `cookie ${login} ${nonce}`))) return undefined
  const user = Buffer.from(login, 'base64url').toString('utf8')
  return {
    login: findToken(box, user) === undefined ? undefined : user,
    csrf: sign(box, `csrf ${login} ${nonce}`),
  }
}

/** A new session and the header that sets its cookie. */
export function createSession(box: Box, user: string): { session: Session; cookie: string } {
  const login = Buffer.from(user).toString('base64url')
  const nonce = randomBytes(12).toString('hex')
  const signature = sign(box, `cookie ${login} ${nonce}`)
  return {
    session: { login: user === '' ? undefined : user, csrf: sign(box, `csrf ${login} ${nonce}`) },
    cookie: `${COOKIE}=${login}.${nonce}.${signature}; Path=/; HttpOnly; SameSite=Lax`,
  }
}

/** True when a form came from a page of this session. */
export function isOwnForm(session: Session, form: URLSearchParams): boolean {
  return equals(form.get('csrf') ?? '', session.csrf)
}

/** The token of a seeded user, with which the page calls the API. */
export function findToken(box: Box, login: string): string | undefined {
  return tokens(box.store)
    .all()
    .find((one) => one.kind === 'user' && one.login === login)?.token
}

/** Everybody who can be picked. */
export function listLogins(box: Box): string[] {
  return tokens(box.store)
    .all()
    .flatMap((one) => (one.kind === 'user' ? [one.login] : []))
}

function findCookie(cookies: string): string | undefined {
  for (const part of cookies.split(';')) {
    const [name, value] = part.trim().split('=')
    if (name === COOKIE) return value
  }
  return undefined
}

// Kept with the state: a restarted box knows its visitors.
function sign(box: Box, text: string): string {
  const key =
    keys(box.store).find('session') ?? keys(box.store).put('session', randomBytes(32).toString('hex'))
  return createHmac('sha256', key).update(text).digest('hex')
}

function equals(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
