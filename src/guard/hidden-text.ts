import { nameHidden, replaceHidden } from '../core/hidden-characters.ts'
import type { ChangedPath } from './changed-path.ts'

// Prose and translations. Languages need some invisible characters there, and nothing runs them.
const DOCUMENTS = [
  /\.(md|markdown|txt|rst|adoc|asciidoc|po|pot|xlf|xliff|arb|strings|ftl|properties|resx)$/i,
  /(^|\/)(locales?|lang|langs|languages?|i18n|l10n|intl|translations?|messages)\/[^\n]*\.(json|ya?ml)$/i,
  /(^|\/)([a-z]+[._-])?[a-z]{2,3}([-_][a-z]{2,4})?\.json$/i,
]
// What prose may hold: soft hyphens, marks, joiners, variation selectors, embeddings and isolates. Never overrides and tags, which
// show one text and hold another, nor controls.
const IN_DOCUMENTS =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each is meant alone
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028\u2029\u202a-\u202c\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u
const OPENS = /[\u202a\u202b\u2066-\u2068]/
const CLOSES = /[\u202c\u2069]/

/** The first hidden character that a change brings, and its line, counted from 1. */
export interface HiddenText {
  readonly line: number
  readonly character: string
}

/**
 * Finds characters that hide code from its readers: bidirectional controls, terminal sequences, tags, invisible characters. Lines
 * that the file had before are not looked at.
 */
export function findHiddenText({ path, before, after }: ChangedPath): HiddenText | undefined {
  const text = after?.text ?? ''
  const isDocument = DOCUMENTS.some((pattern) => pattern.test(path))
  // Editors put this mark at the start.
  const lines = text.replace(/^\ufeff/, '').split('\n')
  let old: ReadonlySet<string> | undefined
  for (const [index, line] of lines.entries()) {
    const character = findInLine(line.replace(/\r$/, ''), isDocument)
    if (character === undefined) continue
    old ??= new Set((before?.text ?? '').replace(/^\ufeff/, '').split('\n'))
    if (!old.has(line)) return { line: index + 1, character }
  }
  return undefined
}

/** A blocked path with what was found in it. */
export function describeHiddenText(change: ChangedPath): string {
  const found = findHiddenText(change)
  return found === undefined
    ? change.path
    : `line ${found.line} has ${nameHidden(found.character)} in ${change.path}`
}

function findInLine(line: string, isDocument: boolean): string | undefined {
  let found: string | undefined
  const open: string[] = []
  replaceHidden(line, (character) => {
    if (!isDocument || !IN_DOCUMENTS.test(character)) found ??= character
    else if (OPENS.test(character)) open.push(character)
    // One that closes nothing is as odd as one that is never closed: its effect would leave the line.
    else if (CLOSES.test(character) && open.pop() === undefined) found ??= character
    return ''
  })
  return found ?? open[0]
}
