// Characters that show nothing or change what a reader sees: controls (ESC starts a terminal's sequences, a lone CR overwrites the
// line), soft hyphens, zero-width characters, line separators, bidirectional controls, fillers, variation selectors and tags.
const HIDDEN =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each is meant alone
  /\r(?!\n)|[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u
    .source

// Part of what is written: emoji, which are joined, coloured and flagged by invisible characters, and the scripts that need
// joiners between letters.
const EMOJI = '\\p{Extended_Pictographic}(?:\\ufe0f|\\p{Emoji_Modifier})?'
const JOINED = [
  'Arabic',
  'Syriac',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
]
  .concat(['Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Mongolian'])
  .map((script) => `\\p{Script=${script}}`)
  .join('')
const WRITTEN = [
  `${EMOJI}(?:\\u200d${EMOJI})+`,
  '\\p{Extended_Pictographic}[\\ufe0e\\ufe0f]',
  '[0-9#*]\\ufe0f\\u20e3',
  '\\u{1f3f4}[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{3,6}\\u{e007f}',
  `(?<=[${JOINED}])[\\u200c\\u200d](?=[${JOINED}])`,
].join('|')

const ANY = new RegExp(HIDDEN, 'u')
const EITHER = new RegExp(`(${WRITTEN})|${HIDDEN}`, 'gu')

/** The text with every hidden character replaced. Emoji and joined scripts stay. */
export function replaceHidden(text: string, replace: (character: string, index: number) => string): string {
  // Almost all text has none, and this is the quicker question.
  if (!ANY.test(text)) return text
  return text.replaceAll(EITHER, (found, written: string | undefined, index: number) =>
    written === undefined ? replace(found, index) : written,
  )
}

/** The text with every hidden character as a visible escape, such as \u{202e}. */
export function escapeHidden(text: string): string {
  return replaceHidden(text, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}

const NAMES: Readonly<Record<string, string>> = {
  '\u0007': 'bell',
  '\u0008': 'backspace',
  '\r': 'carriage return',
  '\u001b': 'escape',
  '\u009b': 'control sequence introducer',
  '\u00ad': 'soft hyphen',
  '\u061c': 'Arabic letter mark',
  '\u200b': 'zero width space',
  '\u200c': 'zero width non-joiner',
  '\u200d': 'zero width joiner',
  '\u200e': 'left-to-right mark',
  '\u200f': 'right-to-left mark',
  '\u2028': 'line separator',
  '\u2029': 'paragraph separator',
  '\u202a': 'left-to-right embedding',
  '\u202b': 'right-to-left embedding',
  '\u202c': 'pop directional formatting',
  '\u202d': 'left-to-right override',
  '\u202e': 'right-to-left override',
  '\u2060': 'word joiner',
  '\u2066': 'left-to-right isolate',
  '\u2067': 'right-to-left isolate',
  '\u2068': 'first strong isolate',
  '\u2069': 'pop directional isolate',
  '\u3164': 'Hangul filler',
  '\ufeff': 'byte order mark',
}

/** A hidden character in words, such as `U+202E (right-to-left override)`. */
export function nameHidden(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const name = NAMES[character] ?? nameRange(code)
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')} (${name})`
}

function nameRange(code: number): string {
  if (code < 0xa0) return 'control character'
  if (code >= 0xe0000 && code <= 0xe007f) return 'tag'
  if ((code >= 0xfe00 && code <= 0xfe0f) || code >= 0xe0100) return 'variation selector'
  return 'invisible character'
}
