import type { Events } from '../syntax/read-template.ts'
import { asRecord, asTexts } from '../syntax/values.ts'

/** An event, in the terms of the filters in `on`. */
export interface Trigger {
  /** The event's name, such as `push`. */
  readonly name: string
  readonly action: string | undefined
  /** The branch that `branches` refers to: the pushed one, a pull request's base, or a run's head. */
  readonly branch: string | undefined
  readonly tag: string | undefined
  /** The name of the workflow of a `workflow_run`. */
  readonly workflow: string | undefined
  /** The cron expression of a `schedule` that is due. */
  readonly schedule: string | undefined
  readonly changedPaths: () => Promise<readonly string[]>
}

/** Without `types`, GitHub accepts every activity, except for these events. */
const DEFAULT_TYPES: Readonly<Record<string, readonly string[]>> = {
  pull_request: ['opened', 'synchronize', 'reopened'],
}

/** True when a workflow's `on` matches an event. */
export async function wantsTrigger(events: Events, trigger: Trigger): Promise<boolean> {
  if (!(trigger.name in events)) return false
  if (trigger.schedule !== undefined) return listCrons(events).includes(trigger.schedule)
  const filter = asRecord(events[trigger.name])
  const types = findTexts(filter, 'types') ?? DEFAULT_TYPES[trigger.name]
  if (types !== undefined && !types.includes(trigger.action ?? '')) return false
  const workflows = findTexts(filter, 'workflows')
  if (workflows !== undefined && !passesPatterns(workflows, trigger.workflow ?? '')) return false
  return passesRefs(filter, trigger) && (await passesPaths(filter, trigger))
}

/** The cron expressions of a workflow. */
function listCrons({ schedule }: Events): string[] {
  return Array.isArray(schedule) ? schedule.map((one: unknown) => String(asRecord(one).cron)) : []
}

function passesRefs(filter: Readonly<Record<string, unknown>>, { branch, tag }: Trigger): boolean {
  const asksBranches = 'branches' in filter || 'branches-ignore' in filter
  const asksTags = 'tags' in filter || 'tags-ignore' in filter
  // A filter that names only branches excludes tags, and vice versa.
  if (tag !== undefined) return asksTags ? passes(filter, 'tags', tag) : !asksBranches
  if (branch !== undefined) return asksBranches ? passes(filter, 'branches', branch) : !asksTags
  return true
}

function passes(filter: Readonly<Record<string, unknown>>, kind: string, name: string): boolean {
  const wanted = findTexts(filter, kind)
  const unwanted = findTexts(filter, `${kind}-ignore`)
  if (wanted !== undefined) return passesPatterns(wanted, name)
  return unwanted === undefined || !passesPatterns(unwanted, name)
}

// One matching changed file is enough. Path filters do not apply to tags.
async function passesPaths(filter: Readonly<Record<string, unknown>>, trigger: Trigger): Promise<boolean> {
  if (!('paths' in filter || 'paths-ignore' in filter) || trigger.tag !== undefined) return true
  const changed = await trigger.changedPaths()
  return changed.some((path) => passes(filter, 'paths', path))
}

function findTexts(filter: Readonly<Record<string, unknown>>, name: string): string[] | undefined {
  return name in filter ? asTexts(filter[name]) : undefined
}

/**
 * True when the patterns of a filter accept a name. They are read in order, and the last match decides. A
 * leading `!` excludes what earlier patterns accepted.
 */
export function passesPatterns(patterns: readonly string[], name: string): boolean {
  let passes = false
  for (const pattern of patterns) {
    const isNegative = pattern.startsWith('!')
    if (toRegExp(isNegative ? pattern.slice(1) : pattern).test(name)) passes = !isNegative
  }
  return passes
}

// GitHub's syntax: `?` and `+` repeat the preceding character, `*` stops at a slash, `**` does not.
function toRegExp(pattern: string): RegExp {
  const source = pattern.replaceAll(/\\[\s\S]|\*\*\/|\*\*|\*|\[[^\]]+\]|[?+]|[\s\S]/g, (part) => {
    if (part === '**/') return '(?:.*/)?'
    if (part === '**') return '.*'
    if (part === '*') return '[^/]*'
    if (part === '?' || part === '+' || /^\[.+\]$/.test(part)) return part
    return part.replace(/^\\(?=.)/, '').replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
  })
  return new RegExp(`^(?:${source})$`)
}
