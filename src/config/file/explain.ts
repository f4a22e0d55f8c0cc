import type * as z from 'zod'
import { findSchemaNodes, propertiesOf, type SchemaNode } from './json-schema.ts'
import { findValue, type Path } from './layers.ts'

type Issue = z.core.$ZodIssue

/** A problem with one value, before its position in the file is known. */
export interface Complaint {
  readonly path: Path
  /** Unknown keys are shown at the key, wrong values at the value. */
  readonly at: 'key' | 'value'
  readonly message: string
  /** Works the hint out. Only listed problems need one, and it costs more than finding them. */
  explain(): string
}

/** The validated value and its schema. */
export interface Subject {
  readonly value: unknown
  readonly schema: SchemaNode
}

/** Explains a zod issue in plain words. */
export function explainIssue(issue: Issue, subject: Subject): Complaint[] {
  const path = toPath(issue.path)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => explainUnknownKey(path, key, subject))
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0 && !isMissing(path, subject)) {
    return nearestBranch(issue.errors).flatMap((inner) =>
      explainIssue({ ...inner, path: [...issue.path, ...inner.path] }, subject),
    )
  }
  const describe = (): string => describePath(path, subject.schema)
  if (issue.code === 'custom') {
    const hint = issue.params?.hint
    const explain = typeof hint === 'string' ? () => hint : describe
    return [{ path, at: 'value', message: issue.message, explain }]
  }
  if (isMissing(path, subject)) {
    const explain = (): string => `Add it. ${describe()}`.trim()
    return [{ path, at: 'value', message: 'is required and missing', explain }]
  }
  const value = findValue(subject.value, path)
  const explain =
    value === null ? () => `Give it a value, or delete the line. ${describe()}`.trim() : describe
  return [
    {
      path,
      at: issue.code === 'invalid_key' ? 'key' : 'value',
      message: explainValue(issue, value),
      explain,
    },
  ]
}

function explainUnknownKey(parent: Path, key: string, { schema }: Subject): Complaint {
  const explain = (): string => {
    const known = findSchemaNodes(schema, parent).flatMap((node) => propertiesOf(node).map(([name]) => name))
    const nearest = findNearest(key, known)
    const list = `Known keys here: ${known.join(', ')}.`
    return nearest === undefined ? list : `Did you mean ${nearest}? ${list}`
  }
  return { path: [...parent, key], at: 'key', message: 'is not a known key', explain }
}

/** Picks the alternative with the fewest problems: it is most likely the one that was meant. */
function nearestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const faults = (branch: readonly Issue[]) =>
    branch.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0)
  // A value of the wrong type is worse than any number of wrong keys.
  const rank = (branch: readonly Issue[]) =>
    faults(branch) +
    (branch.some((issue) => issue.path.length === 0 && issue.code === 'invalid_type') ? 1000 : 0)
  return branches.toSorted((a, b) => rank(a) - rank(b))[0] ?? []
}

function explainValue(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${WORDS[issue.expected] ?? issue.expected}, not ${describeValue(value)}`
    case 'invalid_value':
      return `must be ${issue.values.map(String).join(' or ')}, not ${describeValue(value)}`
    case 'too_small':
      return explainBound(issue, Number(issue.minimum), 'least')
    case 'too_big':
      return explainBound(issue, Number(issue.maximum), 'most')
    case 'invalid_key':
      return issue.issues[0]?.message ?? issue.message
    default:
      return issue.message
  }
}

type BoundIssue = z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig

function explainBound(issue: BoundIssue, bound: number, side: 'least' | 'most'): string {
  const unit = issue.origin === 'string' ? ' characters' : issue.origin === 'array' ? ' entries' : ''
  if (unit !== '' && side === 'least' && bound === 1) return 'must not be empty'
  if (unit !== '') return `must have at ${side} ${bound}${unit}`
  if (issue.inclusive === false) return `must be ${side === 'least' ? 'more' : 'less'} than ${bound}`
  return `must be at ${side} ${bound}`
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
}

function describeValue(value: unknown): string {
  if (value === null) return 'empty'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a mapping'
  if (typeof value === 'string') return value.length > 40 ? 'text' : JSON.stringify(value)
  return String(value)
}

function isMissing(path: Path, subject: Subject): boolean {
  return findValue(subject.value, path) === undefined
}

/** The description of the value, or of the nearest ancestor that has one. */
function describePath(path: Path, schema: SchemaNode): string {
  for (let length = path.length; length > 0; length--) {
    const described = findSchemaNodes(schema, path.slice(0, length)).find((node) => node.description)
    if (described?.description) return described.description
  }
  return ''
}

function toPath(path: readonly PropertyKey[]): Path {
  return path.map((step) => (typeof step === 'number' ? step : String(step)))
}

/** The closest option, if it is close enough to be a typo. */
function findNearest(written: string, options: readonly string[]): string | undefined {
  const allowed = Math.max(1, Math.floor(written.length / 3))
  let best: { option: string; distance: number } | undefined
  for (const option of options) {
    if (Math.abs(option.length - written.length) > allowed) continue
    const distance = editDistance(written.toLowerCase(), option)
    if (distance <= allowed && (best === undefined || distance < best.distance)) best = { option, distance }
  }
  return best?.option
}

/** Levenshtein distance, O(a·b). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
