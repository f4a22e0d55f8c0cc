import { destination, type Logger, pino } from 'pino'
import { redactSecrets } from '../../core/redact-secrets.ts'

export interface LogOptions {
  readonly level: 'info' | 'warn' | 'error' | 'fatal'
  readonly to?: 'stdout' | 'stderr' | undefined
  /** Text that must never be logged: the App's key and the webhook secret. */
  readonly secrets: readonly string[]
}

/** A log with one JSON object per line. Secrets are removed from the finished line, so no field can leak one. */
export function createLog({ level, to = 'stdout', secrets }: LogOptions): Logger {
  const out = destination({ dest: to === 'stdout' ? 1 : 2, sync: true })
  // In their JSON form: a line break in a key becomes two characters.
  const known = secrets.map((secret) => JSON.stringify(secret).slice(1, -1))
  return pino(
    // Webhooks have many headers, and none helps.
    { level, redact: { paths: ['req.headers', 'res.headers'], remove: true } },
    { write: (line) => void out.write(redactSecrets(line, known)) },
  )
}

/** The fields of a log line besides its message, without secrets in errors. */
export function cleanFacts(facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [
      key,
      value instanceof Error ? redactSecrets(value.stack ?? value.message) : value,
    ]),
  )
}
