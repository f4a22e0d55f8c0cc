/** What a JUnit report says about its tests. */
export type JUnitReport =
  | { readonly status: 'read'; readonly ran: number; readonly skipped: number; readonly failed: number }
  | { readonly status: 'unreadable'; readonly reason: string }

// What holds no tags of a report.
const SKIPPED_PARTS = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const
// No part of a tag can hold another `<`: reading stays linear, whatever the file holds.
const TAG = /<(\/?)([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y
const COUNT = /\s(?:failures|errors)\s*=\s*["']\s*(\d+)\s*["']/g
const ROOTS: ReadonlySet<string> = new Set(['testsuites', 'testsuite'])
const FAILURES: ReadonlySet<string> = new Set(['failure', 'error'])

/**
 * Reads a JUnit report. A process that ended early leaves no report or half of one: a report that is not complete is unreadable.
 */
export function readJUnit(text: string): JUnitReport {
  const open: string[] = []
  const counts = { cases: 0, skipped: 0, failed: 0 }
  let roots = 0
  for (const tag of readTags(text)) {
    if (tag === undefined) return { status: 'unreadable', reason: 'it is not well-formed XML' }
    const { kind, name } = tag
    if (kind === 'end') {
      if (open.pop() !== name) return { status: 'unreadable', reason: `</${name}> closes nothing` }
      continue
    }
    if (open.length === 0 && (!ROOTS.has(name) || roots++ > 0))
      return { status: 'unreadable', reason: 'it is not one <testsuites> or <testsuite>' }
    countTag(counts, tag, open.at(-1))
    if (kind === 'start') open.push(name)
  }
  if (open.length > 0) return { status: 'unreadable', reason: `<${open.at(-1)}> is not closed` }
  if (roots === 0) return { status: 'unreadable', reason: 'it is empty' }
  const { cases, skipped, failed } = counts
  return { status: 'read', ran: cases - skipped, skipped, failed }
}

interface Tag {
  readonly kind: 'start' | 'end' | 'empty'
  readonly name: string
  readonly attributes: string
}

/** The tags in order; undefined, as the last, where the text is no XML. */
function* readTags(text: string): Generator<Tag | undefined> {
  let next = 0
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', next)) {
    const [, close] = SKIPPED_PARTS.find(([start]) => text.startsWith(start, at)) ?? []
    const tag = close === undefined ? readTag(text, at) : undefined
    if (tag !== undefined) yield tag.tag
    const end = close === undefined ? tag?.end : findEnd(text, close, at)
    if (end === undefined) return yield undefined
    next = end
  }
}

function findEnd(text: string, close: string, from: number): number | undefined {
  const at = text.indexOf(close, from)
  return at < 0 ? undefined : at + close.length
}

function readTag(text: string, at: number): { readonly tag: Tag; readonly end: number } | undefined {
  TAG.lastIndex = at
  const match = TAG.exec(text)
  if (match === null) return undefined
  const [, slash, name = '', attributes = '', isEmpty] = match
  const kind = slash === '/' ? 'end' : isEmpty === '/' ? 'empty' : 'start'
  return { tag: { kind, name, attributes }, end: TAG.lastIndex }
}

function countTag(
  counts: { cases: number; skipped: number; failed: number },
  { name, attributes }: Tag,
  parent: string | undefined,
): void {
  if (name === 'testcase') counts.cases++
  if (name === 'skipped' && parent === 'testcase') counts.skipped++
  if (FAILURES.has(name)) counts.failed++
  // A suite may say so without naming the test.
  if (ROOTS.has(name) && [...attributes.matchAll(COUNT)].some(([, count]) => Number(count) > 0))
    counts.failed++
}
