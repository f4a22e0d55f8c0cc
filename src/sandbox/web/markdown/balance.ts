const TAG = /<(\/?)([a-z][a-z0-9]*)[^>]*>/g
const VOID = new Set(['br', 'hr', 'img', 'input', 'source'])

/**
 * Closes what was left open and drops what closes nothing, so that a text that somebody wrote ends where it
 * ends: an open `<a>` or `<b>` would go on through the rest of the page. Attributes must have `>` escaped.
 */
export function balance(markup: string): string {
  const open: string[] = []
  const balanced = markup.replace(TAG, (tag, slash: string, name: string) => {
    if (VOID.has(name)) return slash === '' ? tag : ''
    if (slash === '') {
      open.push(name)
      return tag
    }
    const from = open.lastIndexOf(name)
    return from === -1 ? '' : renderClosers(open.splice(from))
  })
  return balanced + renderClosers(open)
}

function renderClosers(names: readonly string[]): string {
  return names
    .toReversed()
    .map((name) => `</${name}>`)
    .join('')
}
