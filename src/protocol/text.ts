import * as z from 'zod'

// What a terminal, a log or a Markdown page would obey instead of showing. Tabs and line feeds are text.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Cs}/u

/** Text from a runner: bounded, without control characters. It is shown and stored, never obeyed. */
export function plainText(maxCharacters: number) {
  return z
    .string()
    .max(maxCharacters)
    .refine((text) => !CONTROL.test(text), 'must not hold control characters')
}
