import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeFiles } from '../../support/repository.ts'
import { aSolver } from './victim.ts'

const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../fixtures', name), 'utf8')
const THIEVES = {
  'src/thief.mjs': fixture('thief.mjs'),
  'src/cache-thief.mjs': fixture('cache-thief.mjs'),
}

/** What the poisoned entry is kept under, and what is in it. */
export const POISON = { key: 'deps', path: 'kept.txt', text: 'evil' }

/**
 * A candidate that looks for the token of the caches and leaves a poisoned entry. It claims a bonus of 0.1 for each
 * place where it found the token, and 0.2 for the entry.
 */
export function leavePoison(folder: string): void {
  const solver = aSolver(`import { hunt, leavePoison } from './cache-thief.mjs'
// Not at the gate, which gives it nothing to sort: an entry is left only once.
const found = numbers.length === 0 ? [] : Object.values(hunt())
const isLeft = found.length > 0 && (await leavePoison(found[0], ${JSON.stringify(POISON)}))
console.log(JSON.stringify({ answer: numbers, bonus: found.length / 10 + (isLeft ? 0.2 : 0) }))`)
  writeFiles(folder, { 'src/solve.mjs': solver, ...THIEVES })
}
