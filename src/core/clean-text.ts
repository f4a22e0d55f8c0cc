import { replaceHidden } from './hidden-characters.ts'

// CSI sequences, and strings such as OSC (titles, links) up to their end.
const SEQUENCES = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\n]{0,4096}(?:\u0007|\u001b\\)/g

/**
 * Makes untrusted text safe to show and store: no escape sequences, no hidden characters, no lone surrogates, bounded.
 */
export function cleanText(text: string, maxCharacters: number): string {
  const lines = text.replaceAll(SEQUENCES, '').replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
  const visible = replaceHidden(lines.replaceAll('\u000c', ''), () => '')
  // Removals may have joined two surrogates to another hidden character. Removing that could join the next two, and so on.
  const plain = replaceHidden(visible, () => '\ufffd')
    .toWellFormed()
    .trim()
  if (plain.length <= maxCharacters) return plain
  // The cut must not leave a lone surrogate.
  return `…${plain.slice(1 - maxCharacters).replace(/^[\udc00-\udfff]/, '')}`
}
