import { escapeHidden, replaceHidden } from '../../core/hidden-characters.ts'

// Candidates, agents and config files hold foreign text. A terminal obeys escape sequences and reorders text, so it gets neither.

/** Prints a text for people. Only colours of our own go to the console directly. */
export function print(text: string): void {
  console.log(escapeHidden(text))
}

/** The same for messages. */
export function printError(text: string): void {
  console.error(escapeHidden(text))
}

/** Prints a value as one line of JSON. Hidden characters become escapes, which mean the same. */
export function printJson(value: unknown): void {
  console.log(
    replaceHidden(JSON.stringify(value), (character) =>
      character
        .split('')
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join(''),
    ),
  )
}
