/**
 * Makes untrusted text safe to show and store: no escape sequences, no control characters, no lone surrogates, bounded.
 */
export function cleanText(text: string, maxCharacters: number): string {
  const plain = text
    .replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '')
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    // After removals that may have joined two surrogates.
    .toWellFormed()
    .trim()
  if (plain.length <= maxCharacters) return plain
  // The cut must not leave a lone surrogate.
  return `…${plain.slice(1 - maxCharacters).replace(/^[\udc00-\udfff]/, '')}`
}
