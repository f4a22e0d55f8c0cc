import { destination, type Logger, pino } from 'pino'
import { redactSecrets } from '../../core/redact-secrets.ts'

export interface LogOptions {
  readonly level: 'info' | 'warn' | 'error' | 'fatal'
  readonly to?: 'stdout' | 'stderr' | undefined
  /** What must not be written, whatever its shape: the App's key and the webhook secret. */
  readonly secrets: readonly string[]
}

/** A log of one JSON object a line. Secrets are taken out of the finished line: no field can bring one past us. */
export function createLog({ level, to = 'stdout', secrets }: LogOptions): Logger {
  const out = destination({ dest: to === 'stdout' ? 1 : 2, sync: true })
  // As a line has them: in JSON a key's line ends are two characters.
  const known = secrets.map((secret) => JSON.stringify(secret).slice(1, -1))
  return pino(
    // Headers of webhooks are many and say nothing about us.
    { level, redact: { paths: ['req.headers', 'res.headers'], remove: true } },
    { write: (line) => void out.write(redactSecrets(line, known)) },
  )
}

/** What a line of the log says besides its message, without secrets in errors. */
export function cleanFacts(facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [
      key,
      value instanceof Error ? redactSecrets(value.stack ?? value.message) : value,
    ]),
  )
}
