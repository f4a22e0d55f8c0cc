/** GitHub's time format: no fractions of a second. */
export function isoTime(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`
}

/** An opaque id like GitHub's: a kind and a number. */
export function nodeId(kind: string, id: number | string): string {
  return `${kind}_${Buffer.from(String(id)).toString('base64url')}`
}

/** Returns the number in an id that `nodeId` made, or undefined for an id of another kind. */
export function findNumberInNodeId(kind: string, id: string): number | undefined {
  if (!id.startsWith(`${kind}_`)) return undefined
  const number = Number(Buffer.from(id.slice(kind.length + 1), 'base64url').toString('utf8'))
  return Number.isInteger(number) ? number : undefined
}
