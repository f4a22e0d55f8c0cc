const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b]

/**
 * An upper bound of the values in a JSON text, from its commas and brackets outside strings. Stops beyond `most`. Parsing
 * a text of millions of tiny values takes a hundred times longer.
 */
export function boundValues(json: Uint8Array, most: number): number {
  let count = 1
  let inString = false
  for (let at = 0; at < json.length && count <= most; at++) {
    const byte = json[at]
    if (inString && byte === BACKSLASH) at++
    else if (byte === QUOTE) inString = !inString
    else if (!inString && (byte === COMMA || byte === BRACKET || byte === BRACE)) count++
  }
  return count
}

/**
 * How many values a JSON value holds at all depths, itself included. Stops beyond `most`: whoever asks wants to refuse
 * larger ones before it spends time on them.
 */
export function countValues(value: unknown, most: number): number {
  const open = [value]
  let count = 0
  while (open.length > 0 && count <= most) {
    const next = open.pop()
    count++
    if (typeof next === 'object' && next !== null) for (const child of Object.values(next)) open.push(child)
  }
  return count
}
