/** The value as an object; an empty one when it is none. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value as true or false; a workflow may give the words. */
export function asFlag(value: unknown): boolean {
  return value === true || value === 'true'
}

/** The value as a number; 0 when it is none. */
export function asNumber(value: unknown): number {
  return Number(value) || 0
}

/** The texts of a list. */
export function asTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}
