import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Box } from '../box.ts'
import { tokens } from '../state/documents.ts'
import { defineTable } from '../state/store.ts'

/** The visitor of the page. There are no passwords: anyone on this machine may be any seeded user. */
export interface Session {
  /** Undefined until a user is picked. */
  readonly login: string | undefined
  /** Every form carries it, so that another site cannot make a browser submit one. */
  readonly csrf: string
}

const COOKIE = 'box_session'
const keys = defineTable<string>('page-keys')

/** Reads the session cookie. Undefined if it is missing or forged. */
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

/** True when a form comes from a page of this session. */
export function isOwnForm(session: Session, form: URLSearchParams): boolean {
  return equals(form.get('csrf') ?? '', session.csrf)
}

/** The token of a seeded user. The page calls the API with it. */
export function findToken(box: Box, login: string): string | undefined {
  return tokens(box.store)
    .all()
    .find((one) => one.kind === 'user' && one.login === login)?.token
}

/** All users that can be picked. */
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

// Stored, so that sessions survive a restart.
function sign(box: Box, text: string): string {
  const key =
    keys(box.store).find('session') ?? keys(box.store).put('session', randomBytes(32).toString('hex'))
  return createHmac('sha256', key).update(text).digest('hex')
}

function equals(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
