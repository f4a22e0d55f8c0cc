import { cleanText } from './clean-text.ts'

const MARK = '[secret]'

// Shapes that are secrets wherever they stand. A hash or an object id is none of them.
const SHAPES: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  // The newer ones of installations are a web token behind a number.
  /\bgh[pousr]_[A-Za-z0-9._-]{20,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bAIza[0-9A-Za-z_-]{35}/g,
  // A web token. Looked for once in each word, and only in one with two more behind it: a search that began at every
  // `eyJ` and read on to the end of the word would take a candidate's megabyte of them for ever.
  /(?<![\w-])(?=[\w-]+\.[\w-]{10,}\.[\w-]{5,})[\w-]*?\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
]

// A header keeps its name, so that a reader sees what was there.
const HEADER =
  /\b(authorization|api-key|x-api-key)(["']?\s*[:=]\s*["']?(?:(?:bearer|token|basic)\s+)?)[^\s"',}]{8,}/gi

/** Below this length a value is a word, and taking it out of every text would garble it. */
const MIN_KNOWN_CHARACTERS = 8

/** The text without the given secrets and without anything of the shape of one. */
export function redactSecrets(text: string, known: readonly string[] = []): string {
  let clean = text
  for (const secret of known) {
    if (secret.length >= MIN_KNOWN_CHARACTERS) clean = clean.replaceAll(secret, MARK)
  }
  for (const shape of SHAPES) clean = clean.replaceAll(shape, MARK)
  return clean.replaceAll(HEADER, `$1$2${MARK}`)
}

/**
 * What a process or a model said, safe to show and store. Cleaned first: an escape sequence in the middle of a secret
 * would hide it. Cut last: half a secret would not be recognised.
 */
export function cleanOutput(text: string, maxCharacters: number, known: readonly string[] = []): string {
  const plain = cleanText(text, text.length)
  const cleaned = known.map((secret) => cleanText(secret, secret.length))
  return cleanText(redactSecrets(plain, [...known, ...cleaned]), maxCharacters)
}
