import type { Level, Permissions } from '../../state/documents.ts'
import { type Template, TemplateMap } from './template.ts'

// Permissions that a workflow can declare. Tokens use underscores in these names.
const NAMES = [
  ...['actions', 'attestations', 'checks', 'contents', 'deployments', 'discussions', 'issues', 'packages'],
  ...['pages', 'pull-requests', 'security-events', 'statuses'],
]

/** The permissions of a job's token: from the job, then the workflow, then the repository's default. */
export function jobPermissions(
  declared: readonly (Template | undefined)[],
  byDefault: 'read' | 'write',
): Permissions {
  const said = declared.find((one) => one !== undefined)
  return { metadata: 'read', ...(said === undefined ? defaults(byDefault) : read(said)) }
}

// The restricted default only reads code and packages.
function defaults(byDefault: 'read' | 'write'): Permissions {
  return byDefault === 'write' ? all('write') : { contents: 'read', packages: 'read' }
}

function read(said: Template): Permissions {
  if (said === 'read-all') return all('read')
  if (said === 'write-all') return all('write')
  if (!(said instanceof TemplateMap)) return {}
  // Permissions that are not listed are not granted.
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
