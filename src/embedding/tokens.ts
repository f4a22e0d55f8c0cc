/** A piece of source text. Words are names and keywords, with the parts they are made of. */
export type Token =
  | { readonly kind: 'word'; readonly text: string; readonly parts: readonly string[] }
  | { readonly kind: 'number' | 'mark'; readonly text: string }

const TOKEN = /[\p{L}_$][\p{L}\p{N}_$]*|\p{N}[\p{N}.]*|[^\s\p{L}\p{N}_$]/gu
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}]+|\p{N}+/gu

/** Splits source text of any language into words, numbers and marks. */
export function tokenise(text: string): Token[] {
  const known = new Map<string, Token>()
  return (text.match(TOKEN) ?? []).map((found) => {
    const token = known.get(found) ?? createToken(found)
    known.set(found, token)
    return token
  })
}

function createToken(text: string): Token {
  if (/^\p{N}/u.test(text)) return { kind: 'number', text }
  if (!/^[\p{L}_$]/u.test(text)) return { kind: 'mark', text }
  return { kind: 'word', text, parts: (text.match(PART) ?? []).map((part) => part.toLowerCase()) }
}
