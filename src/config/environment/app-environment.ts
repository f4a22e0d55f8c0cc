import { readFileSync } from 'node:fs'
import { LoreleyError } from '../../errors.ts'
import type { EnvironmentVariables } from './environment.ts'

/** The settings of the app's server. */
export interface AppEnvironment {
  readonly appId: number
  readonly privateKey: string
  readonly secret: string
  readonly baseUrl: string
  readonly webUrl: string
  readonly host: string
  readonly port: number
  readonly logLevel: 'info' | 'warn' | 'error' | 'fatal'
  /** Shared by several processes; without it each process works alone. */
  readonly redis?: RedisAddress
}

/** A Redis with an HTTP API, such as Upstash. */
export interface RedisAddress {
  readonly url: string
  readonly token: string
}

/** Probot's default: good enough for the sandbox on this machine only. */
const KNOWN_SECRET = 'development'

/** Reads the settings; undefined until the App is registered, for example on Probot's set-up page. */
export function readAppEnvironment(env: EnvironmentVariables = process.env): AppEnvironment | undefined {
  const isProduction = env.NODE_ENV === 'production'
  const privateKey = env.PRIVATE_KEY_PATH ? readFileSync(env.PRIVATE_KEY_PATH, 'utf8') : env.PRIVATE_KEY
  if (!env.APP_ID || !privateKey) {
    if (isProduction) throw unset('APP_ID and PRIVATE_KEY (or PRIVATE_KEY_PATH)')
    return undefined
  }
  const baseUrl = env.GITHUB_API_URL || 'https://api.github.com'
  const secret = env.WEBHOOK_SECRET || KNOWN_SECRET
  // With a well-known secret, anybody could send the app fake events.
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

// Half an address is a mistake: a server that silently works alone would be noticed late.
function readRedis(env: EnvironmentVariables): { redis?: RedisAddress } {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = env
  if (!url && !token) return {}
  if (!url || !token) throw unset('UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN')
  return { redis: { url, token } }
}

function readLogLevel(given: string | undefined): AppEnvironment['logLevel'] {
  return (['warn', 'error', 'fatal'] as const).find((level) => level === given) ?? 'info'
}

/** The error for variables that the app needs. */
export function unset(names: string): LoreleyError {
  return new LoreleyError(
    'usage',
    `${names} must be set.`,
    'docs/how-to/deploy-the-app.md lists what the server needs.',
  )
}
