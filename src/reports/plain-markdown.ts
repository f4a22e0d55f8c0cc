import { cleanText } from '../core/clean-text.ts'
import { redactSecrets } from '../core/redact-secrets.ts'

// An invisible break: readers see the same characters, GitHub sees no mention and no reference.
const BREAK = '\u200b'

/**
 * Text from models, candidates and strangers, for use inside a line of Markdown. It cannot mention people, refer to or
 * close issues, link, show images, open HTML, give commands or break the page around it.
 */
export function inlineText(text: string, maxCharacters: number): string {
  const line = redactSecrets(cleanText(text, 10 * maxCharacters)).replaceAll(/\s+/g, ' ')
  const short = line.length <= maxCharacters ? line : `${line.slice(0, maxCharacters - 1).trimEnd()}…`
  return short
    .replaceAll(/\b(?:https?|ftp|mailto|javascript|data):\S*/gi, '(link)')
    .replaceAll(/\bwww\./gi, `www${BREAK}.`)
    .replaceAll(/[\\`*_{}[\]()!|~^$:]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[@#]/g, `$&${BREAK}`)
    .replaceAll(/\b(gh|pr|issue)-(?=\d)/gi, `$1-${BREAK}`)
    .replace(/^([/+-]|\d+\.)/, `${BREAK}$1`)
}

/** Longer untrusted text as a code block, where nothing is rendered. The text cannot close its fence. */
export function blockText(text: string, maxCharacters: number): string {
  const clean = redactSecrets(cleanText(text, maxCharacters))
  const longest = Math.max(2, ...[...clean.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${clean}\n${fence}`
}

/** GitHub's limit for comments, issues and pull requests, with some margin. */
const MAX_BODY = 65_000

/** Cuts a page at the end of a line to stay within a number of bytes, and says so. */
export function fitBody(body: string, maxBytes: number = MAX_BODY): string {
  if (Buffer.byteLength(body) <= maxBytes) return body
  const note = '\n\n*This page was shortened to fit GitHub’s limit.*\n'
  const lines: string[] = []
  let room = maxBytes - Buffer.byteLength(note)
  for (const line of body.split('\n')) {
    room -= Buffer.byteLength(line) + 1
    if (room < 0) break
    lines.push(line)
  }
  // An open fence would swallow the note.
  const fence = lines.findLast((line) => /^`{3,}/.test(line))
  const isOpen = lines.filter((line) => /^`{3,}/.test(line)).length % 2 === 1
  return `${lines.join('\n')}${isOpen ? `\n${/^`+/.exec(fence ?? '')?.[0]}` : ''}${note}`
}
