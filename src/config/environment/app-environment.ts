import { readFileSync } from 'node:fs'
import { LoreleyError } from '../../errors.ts'
import type { EnvironmentVariables } from './environment.ts'

/** What the app's server is told by its environment. */
export interface AppEnvironment {
  readonly appId: number
  readonly privateKey: string
  readonly secret: string
  readonly baseUrl: string
  readonly webUrl: string
  readonly host: string
  readonly port: number
  readonly logLevel: 'info' | 'warn' | 'error' | 'fatal'
  /** What several processes share; without it each stands alone. */
  readonly redis?: RedisAddress
}

/** Where a Redis answers over HTTP, as Upstash's do. */
export interface RedisAddress {
  readonly url: string
  readonly token: string
}

/** Probot's default, which is enough for a GitHub on this machine: the sandbox. */
const KNOWN_SECRET = 'development'

/** Reads it; undefined while the App is not registered, which Probot's own set-up page can do. */
export function readAppEnvironment(env: EnvironmentVariables = process.env): AppEnvironment | undefined {
  const isProduction = env.NODE_ENV === 'production'
  const privateKey = env.PRIVATE_KEY_PATH ? readFileSync(env.PRIVATE_KEY_PATH, 'utf8') : env.PRIVATE_KEY
  if (!env.APP_ID || !privateKey) {
    if (isProduction) throw unset('APP_ID and PRIVATE_KEY (or PRIVATE_KEY_PATH)')
    return undefined
  }
  const baseUrl = env.GITHUB_API_URL || 'https://api.github.com'
  const secret = env.WEBHOOK_SECRET || KNOWN_SECRET
  // With a secret that everybody knows, anybody could tell the app what happened.
  if (secret === KNOWN_SECRET && (isProduction || !isOnThisMachine(baseUrl))) throw unset('WEBHOOK_SECRET')
  return {
    appId: Number(env.APP_ID),
    privateKey: privateKey.replaceAll('\\n', '\n'),
    secret,
    baseUrl,
    webUrl: env.GITHUB_SERVER_URL || 'https://github.com',
    host: env.HOST || 'localhost',
    port: Number(env.PORT || 3000),
    logLevel: readLogLevel(env.LOG_LEVEL),
    ...readRedis(env),
  }
}

function isOnThisMachine(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d+){3}$/.test(host)
}

// Half an address is a mistake: a server that quietly stood alone would be found out late.
function readRedis(env: EnvironmentVariables): { redis?: RedisAddress } {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = env
  if (!url && !token) return {}
  if (!url || !token) throw unset('UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN')
  return { redis: { url, token } }
}

function readLogLevel(given: string | undefined): AppEnvironment['logLevel'] {
  return (['warn', 'error', 'fatal'] as const).find((level) => level === given) ?? 'info'
}

function unset(names: string): LoreleyError {
  return new LoreleyError(
    'usage',
    `${names} must be set.`,
    'See docs/how-to/deploy-the-app.md for what the server needs.',
  )
}
