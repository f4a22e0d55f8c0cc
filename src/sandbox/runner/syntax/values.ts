/** The value as an object. Empty if it is not one. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value as a boolean. Also accepts the text `true`. */
export function asFlag(value: unknown): boolean {
  return value === true || value === 'true'
}

/** The value as a number. 0 if it is not one. */
export function asNumber(value: unknown): number {
  return Number(value) || 0
}

/** The elements of a list as text. */
export function asTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}
