import { ApiError } from './errors.ts'

/** Reads the fields of a JSON object or of parameters that the contract has already checked. */
export class Fields {
  readonly #values: Readonly<Record<string, unknown>>

  constructor(values: unknown) {
    this.#values = isRecord(values) ? values : {}
  }

  /** True when the field is present, even if it is null. */
  has(name: string): boolean {
    return this.#values[name] !== undefined
  }

  raw(name: string): unknown {
    return this.#values[name]
  }

  text(name: string): string {
    return this.findText(name) ?? missing(name)
  }

  findText(name: string): string | undefined {
    const value = this.#values[name]
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    return typeof value === 'string' ? value : undefined
  }

  number(name: string): number {
    return this.findNumber(name) ?? missing(name)
  }

  findNumber(name: string): number | undefined {
    const value = this.#values[name]
    return typeof value === 'number' ? value : undefined
  }

  findFlag(name: string): boolean | undefined {
    const value = this.#values[name]
    return typeof value === 'boolean' ? value : undefined
  }

  /** The strings of an array, or undefined if the field is not an array. */
  findTexts(name: string): string[] | undefined {
    const value = this.#values[name]
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined
  }

  /** The objects of an array. Empty if the field is not an array. */
  objects(name: string): Fields[] {
    const value = this.#values[name]
    return Array.isArray(value) ? value.map((item) => new Fields(item)) : []
  }

  findObject(name: string): Fields | undefined {
    const value = this.#values[name]
    return isRecord(value) ? new Fields(value) : undefined
  }

  toJson(): Readonly<Record<string, unknown>> {
    return this.#values
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function missing(name: string): never {
  throw new ApiError(422, `Invalid request.\n\n"${name}" wasn't supplied.`)
}
