import { createHash } from 'node:crypto'
import { canonicalJson } from '../core/canonical-json.ts'

/** SHA-256 of a value's canonical JSON, in hex. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex')
}
