import { findTestNames } from './syntax.ts'

/** A sentence or name that our language does without. */
export interface Slip {
  readonly path: string
  readonly line: number
  readonly rule: string
  readonly text: string
}

// Words that only we gave a meaning. Ordinary English stays: order, stands, round, place, story in prose.
const COINED: Readonly<Record<string, RegExp>> = {
  'look around': /\blook(?:s|ed|ing)?[- ]around\b|\blookAround|\bLookAround/,
  desk: /\bdesks?\b/i,
  anew: /\banew\b/i,
  machinery: /\bmachinery\b/i,
  unheard: /\bunheard\b/i,
  'in turns': /\bin turns\b/i,
  survey: /\bsurvey(?:s|ed|ing)?\b/i,
  workshop: /\bwork(?:shops?|places?)\b/i,
  'work folder': /\bwork[- ]folders?\b/i,
  unresolve: /\bunresolve(?!d\b)/i,
}

// `inOrder` and the like mean a sequence; a bundle of arguments is a request or options.
const IDENTIFIER = /\b[A-Za-z]\w*(?:Order|Desk|Standing|Story)\b/g
const SEQUENCES = /^(?:in|by|sort|group|reading|ledger|import)Order$/

// A test name is read alone in a failure line. These words continue a sentence that began elsewhere.
const CONTINUES =
  /^(?:of|is|are|was|were|with|without|has|have|had|and|or|but|that|which|who|whose|to|in|into|on|at|by|from|as|for)\b/i

/** Lists coined words and identifiers of a text, line by line. */
export function findCoined(path: string, text: string): Slip[] {
  return text.split('\n').flatMap((line, index) => {
    const words = Object.entries(COINED).filter(([, pattern]) => pattern.test(line))
    const names = [...line.matchAll(IDENTIFIER)].filter(([name]) => !SEQUENCES.test(name))
    return [...words.map(([word]) => word), ...names.map(([name]) => name)].map((rule) => ({
      path,
      line: index + 1,
      rule,
      text: line.trim(),
    }))
  })
}

/** Lists test names that make no sense alone. */
export function findBrokenTestNames(path: string, text: string): Slip[] {
  return findTestNames(path, text)
    .filter(({ name }) => CONTINUES.test(name))
    .map(({ name, line }) => ({ path, line, rule: 'test name', text: name }))
}

/** Lists the paragraphs of a Markdown text with more words than this; each item of a list counts as one. */
export function findLongParagraphs(path: string, text: string, most: number): Slip[] {
  const found: Slip[] = []
  let isCode = false
  let from = 0
  let words = 0
  const end = (): void => {
    if (words > most) found.push({ path, line: from, rule: 'paragraph', text: `${words} words` })
    words = 0
  }
  for (const [index, line] of text.split('\n').entries()) {
    const isFence = /^\s*(?:```|~~~)/.test(line)
    if (isFence) isCode = !isCode
    const isProse = !isFence && !isCode && /\S/.test(line) && !/^\s*(?:#|\||<)/.test(line)
    if (!isProse || /^\s*(?:[-*+]|\d+\.)\s/.test(line)) end()
    if (!isProse) continue
    if (words === 0) from = index + 1
    words += line.split(/\s+/).filter((word) => /\w/.test(word)).length
  }
  end()
  return found
}
