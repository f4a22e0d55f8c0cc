import type { Expected } from './cases.ts'

/** The result of a run, whoever executed it. */
export interface Seen {
  readonly conclusion: string | null
  readonly title: string | undefined
  readonly jobs: Readonly<Record<string, string | null>>
  /** The log of each job, by name. */
  readonly logs: Readonly<Record<string, string>>
  readonly artifacts: Readonly<Record<string, unknown>>
}

/** All differences between a run and its expectation, one per line. */
export function findDifferences(expected: Expected, seen: Seen): string[] {
  const title = expected.title ?? seen.title
  return [
    ...differ('conclusion', seen.conclusion, expected.conclusion),
    ...differ('title', seen.title, title),
    ...differEach('job', seen.jobs, expected.jobs),
    ...differEach('artifact', seen.artifacts, expected.artifacts),
    ...findWrongLogs(expected.logs, seen.logs),
  ]
}

function differEach(
  kind: string,
  seen: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, unknown>>,
): string[] {
  const names = [...new Set([...Object.keys(seen), ...Object.keys(expected)])]
  return names.flatMap((name) => differ(`${kind} ${name}`, seen[name], expected[name]))
}

function differ(what: string, seen: unknown, expected: unknown): string[] {
  const [is, should] = [render(seen), render(expected)]
  return is === should ? [] : [`${what} is ${is}, not ${should}`]
}

function render(value: unknown): string {
  if (value === undefined) return 'missing'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function findWrongLogs(expected: Expected['logs'], logs: Seen['logs']): string[] {
  return Object.entries(expected).flatMap(([job, { has, hasNot }]) => {
    const log = logs[job] ?? ''
    const missing = has.filter((text) => !log.includes(text)).map((text) => `${job} did not say: ${text}`)
    return [...missing, ...hasNot.filter((text) => log.includes(text)).map((text) => `${job} said: ${text}`)]
  })
}
