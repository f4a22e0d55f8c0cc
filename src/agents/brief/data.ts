import { cleanText } from '../../core/clean-text.ts'
import { redactSecrets } from '../../core/redact-secrets.ts'

const CUT = '\n[cut]'

/**
 * Marks untrusted text (from a candidate, an issue, a log) as data. It cannot end its own block, because anything like our
 * tag is broken up.
 */
export function asData(source: string, text: string, maxBytes: number): string {
  const clean = redactSecrets(cleanText(text, text.length)).replaceAll(/<(\/?)data/gi, '<$1\u00b7data')
  return `<data from="${source}">\n${capBytes(clean, maxBytes)}\n</data>`
}

/** The start of a text, limited in bytes of UTF-8, cut between characters and marked. */
export function capBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length <= maxBytes) return text
  const kept = bytes.subarray(0, Math.max(0, maxBytes - CUT.length)).toString('utf8')
  return kept.replace(/\ufffd+$/, '') + CUT
}
