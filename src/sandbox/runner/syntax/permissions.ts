import type { Level, Permissions } from '../../state/documents.ts'
import { type Template, TemplateMap } from './template.ts'

// What a workflow can ask for; GitHub's names for tokens have underscores.
const NAMES = [
  ...['actions', 'attestations', 'checks', 'contents', 'deployments', 'discussions', 'issues', 'packages'],
  ...['pages', 'pull-requests', 'security-events', 'statuses'],
]

/** What a job's token may do: what the job says, else the workflow, else the repository's default. */
export function jobPermissions(
  declared: readonly (Template | undefined)[],
  byDefault: 'read' | 'write',
): Permissions {
  const said = declared.find((one) => one !== undefined)
  return { metadata: 'read', ...(said === undefined ? defaults(byDefault) : read(said)) }
}

// The restricted default reads code and packages, and nothing else.
function defaults(byDefault: 'read' | 'write'): Permissions {
  return byDefault === 'write' ? all('write') : { contents: 'read', packages: 'read' }
}

function read(said: Template): Permissions {
  if (said === 'read-all') return all('read')
  if (said === 'write-all') return all('write')
  if (!(said instanceof TemplateMap)) return {}
  // What is not named is not given.
  const pairs = said.entries.flatMap(([name, level]) =>
    NAMES.includes(String(name)) && isLevel(level) ? [[tokenName(String(name)), level] as const] : [],
  )
  return Object.fromEntries(pairs)
}

function isLevel(level: Template): level is Level {
  return level === 'read' || level === 'write'
}

function all(level: Level): Permissions {
  return Object.fromEntries(NAMES.map((name) => [tokenName(name), level]))
}

function tokenName(name: string): string {
  return name.replaceAll('-', '_')
}
