import { cleanText } from './clean-text.ts'

const MARK = '[secret]'

// Patterns that are always secrets. Hashes and object ids do not match.
const SHAPES: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  // Newer installation tokens are a JSON Web Token after a number.
  /\bgh[pousr]_[A-Za-z0-9._-]{20,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bAIza[0-9A-Za-z_-]{35}/g,
  // A JSON Web Token. Matched once per word, and only if two more parts follow. A match attempt at every `eyJ` would take
  // quadratic time on a megabyte of them.
  /(?<![\w-])(?=[\w-]+\.[\w-]{10,}\.[\w-]{5,})[\w-]*?\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
]

// Keeps the header's name, so that a reader sees what was removed.
const HEADER =
  /\b(authorization|api-key|x-api-key)(["']?\s*[:=]\s*["']?(?:(?:bearer|token|basic)\s+)?)[^\s"',}]{8,}/gi

/** Shorter values are ordinary words; redacting them would garble every text. */
const MIN_KNOWN_CHARACTERS = 8

/** Removes the given secrets and everything that looks like one. */
export function redactSecrets(text: string, known: readonly string[] = []): string {
  let clean = text
  for (const secret of known) {
    if (secret.length >= MIN_KNOWN_CHARACTERS) clean = clean.replaceAll(secret, MARK)
  }
  for (const shape of SHAPES) clean = clean.replaceAll(shape, MARK)
  return clean.replaceAll(HEADER, `$1$2${MARK}`)
}

/**
 * Makes the output of a process or a model safe to show and store. Cleans first, because an escape sequence inside a
 * secret would hide it. Cuts last, because half a secret would not be recognised.
 */
export function cleanOutput(text: string, maxCharacters: number, known: readonly string[] = []): string {
  const plain = cleanText(text, text.length)
  const cleaned = known.map((secret) => cleanText(secret, secret.length))
  return cleanText(redactSecrets(plain, [...known, ...cleaned]), maxCharacters)
}
