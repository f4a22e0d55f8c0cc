// Text that is known to be JSON needs no more than its strings and the marks around them.
const TOKENS = /"(?:\\.|[^"\\])*"|[{}[\]:]/g

/**
 * The first key that one object of a JSON text gives twice, at whatever depth; undefined where there is none.
 * `JSON.parse` keeps the last of them without a word. The text must have been parsed before.
 */
export function findRepeatedKey(json: string): string | undefined {
  const open: Set<string>[] = []
  let last = ''
  for (const [token] of json.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    else if (token !== ':') last = token
    else {
      // Read, not compared as it stands: "m\u0073" is "ms".
      const key = String(JSON.parse(last))
      const keys = open.at(-1)
      if (keys?.has(key)) return key
      keys?.add(key)
    }
  }
  return undefined
}
