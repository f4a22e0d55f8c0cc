import { createVerify } from 'node:crypto'
import type { Box } from '../box.ts'
import { ApiError } from '../http/errors.ts'
import { Fields } from '../http/fields.ts'
import { apps, type InstallationToken, installations, tokens } from '../state/documents.ts'
import { findApp, findUser, getUser } from '../state/lookups.ts'
import type { Actor } from './actor.ts'

/** Reads from the Authorization header who calls. Refuses an unknown or expired secret. */
export function authenticate(box: Box, header: string | undefined): Actor {
  if (header === undefined || header.trim() === '') return { kind: 'anonymous' }
  const secret = readSecret(header)
  if (secret === undefined) throw badCredentials()
  if (secret.split('.').length === 3) return authenticateApp(box, secret)
  const token = tokens(box.store).find(secret)
  if (token === undefined) throw badCredentials()
  if (token.kind === 'installation') return authenticateInstallation(box, token)
  const user = findUser(box.store, token.login)
  if (user === undefined) throw badCredentials()
  return { kind: 'user', user }
}

// git sends the token as the password of Basic authentication, with any user name.
function readSecret(header: string): string | undefined {
  const [scheme, value] = header.trim().split(/\s+/)
  if (value === undefined) return undefined
  switch (scheme?.toLowerCase()) {
    case 'bearer':
    case 'token':
      return value
    case 'basic': {
      const [name, password] = Buffer.from(value, 'base64').toString('utf8').split(':')
      return password || name
    }
    default:
      return undefined
  }
}

function authenticateInstallation(box: Box, token: InstallationToken): Actor {
  const installation = installations(box.store).find(token.installationId)
  const app = installation === undefined ? undefined : apps(box.store).find(installation.appId)
  if (installation === undefined || app === undefined) throw badCredentials()
  if (Date.parse(token.expiresAt) <= box.now().getTime()) throw badCredentials()
  if (installation.suspendedAt !== null) throw new ApiError(403, 'This installation has been suspended')
  return { kind: 'installation', app, installation, token, user: getUser(box.store, `${app.slug}[bot]`) }
}

const MAX_JWT_SECONDS = 600
// GitHub's and the caller's clocks differ a little.
const CLOCK_DRIFT_SECONDS = 60

function authenticateApp(box: Box, jwt: string): Actor {
  const [head = '', claims = '', signature = ''] = jwt.split('.')
  const header = decodePart(head)
  const payload = decodePart(claims)
  const app = findApp(box.store, payload.findText('iss') ?? '')
  if (header.findText('alg') !== 'RS256' || app === undefined) throw undecodable()
  const signed = createVerify('RSA-SHA256').update(`${head}.${claims}`)
  if (!signed.verify(app.publicKey, signature, 'base64url')) throw undecodable()
  const now = box.now().getTime() / 1000
  const expires = payload.findNumber('exp')
  const issued = payload.findNumber('iat')
  if (expires === undefined || expires <= now) {
    throw new ApiError(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    )
  }
  if (expires > now + MAX_JWT_SECONDS + CLOCK_DRIFT_SECONDS) {
    throw new ApiError(401, "'Expiration time' claim ('exp') is too far in the future")
  }
  if (issued === undefined || issued > now + CLOCK_DRIFT_SECONDS) {
    throw new ApiError(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    )
  }
  return { kind: 'app', app, user: getUser(box.store, `${app.slug}[bot]`) }
}

function decodePart(part: string): Fields {
  try {
    return new Fields(JSON.parse(Buffer.from(part, 'base64url').toString('utf8')))
  } catch (error) {
    if (error instanceof SyntaxError) throw undecodable()
    throw error
  }
}

function undecodable(): ApiError {
  return new ApiError(401, 'A JSON web token could not be decoded')
}

function badCredentials(): ApiError {
  return new ApiError(401, 'Bad credentials')
}
