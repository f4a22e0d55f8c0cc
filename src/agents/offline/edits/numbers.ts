import type { Rng } from '../../../core/rng.ts'
import { pickByWeight } from '../pick-by-weight.ts'
import type { Span } from '../source/source.ts'
import type { Edit, Splice } from './edit.ts'

interface Literal {
  readonly value: number
  readonly isInteger: boolean
  /** Significant digits as written. */
  readonly digits: number
  /** The value of one unit in the last digit written. */
  readonly unit: number
  /** The text after the digits: `f`, `u8`, `px`, `n`. */
  readonly suffix: string
}

/** How far a literal is moved. */
type Reach = 'near' | 'any'

const MAX_DIGITS = 6
const MAX_TRIES = 8

// Relative weights. Steps and factors together cover "a bit", "a lot" and "another kind of number".
const MOVES: readonly {
  readonly weight: number
  readonly reach: Reach
  move(literal: Literal, rng: Rng): number
}[] = [
  { weight: 3, reach: 'near', move: ({ value }, rng) => value * (1 + signed(rng, 0.002, 0.05)) },
  { weight: 4, reach: 'near', move: ({ value }, rng) => value * (1 + signed(rng, 0.05, 0.4)) },
  { weight: 2, reach: 'near', move: (literal, rng) => step(literal, rng) },
  { weight: 2, reach: 'any', move: ({ value }) => value * 2 },
  { weight: 2, reach: 'any', move: ({ value }) => value / 2 },
  { weight: 1, reach: 'any', move: ({ value }) => value * 10 },
  { weight: 1, reach: 'any', move: ({ value }) => value / 10 },
  { weight: 0.5, reach: 'any', move: ({ value }) => -value },
  { weight: 0.5, reach: 'any', move: (_, rng) => rng.int(2) },
]

/** True for decimal integers and floats, with or without a suffix; false for hexadecimal, octal and binary. */
export function isDecimalLiteral(text: string): boolean {
  return parseLiteral(text) !== undefined
}

/** Another number in the same form: integers stay integers, floats stay floats. Undefined if none was found. */
function perturbLiteral(text: string, rng: Rng, reach: Reach = 'any'): string | undefined {
  const literal = parseLiteral(text)
  if (literal === undefined) return undefined
  const moves = MOVES.filter((move) => reach === 'any' || move.reach === 'near')
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const moved = pickByWeight(moves, rng)?.move(literal, rng) ?? literal.value
    const written = writeLiteral(moved, literal)
    if (written !== undefined && written !== text && Number.parseFloat(written) !== literal.value)
      return written
  }
  return undefined
}

function parseLiteral(text: string): Literal | undefined {
  const match = /^(\d[\d_]*)?(\.[\d_]*)?(e[+-]?\d+)?([a-z%]\w*)?$/i.exec(text)
  if (match === null) return undefined
  const [, whole = '', fraction = '', exponent = '', suffix = ''] = match
  // A leading zero is octal in C and a syntax error elsewhere; `0x1f` looks like zero with a suffix.
  if (whole.length > 1 && whole.startsWith('0')) return undefined
  if (whole === '0' && fraction === '' && /^[xbo]/i.test(suffix)) return undefined
  const value = Number(`${whole}${fraction}${exponent}`.replaceAll('_', ''))
  const isInteger = fraction === '' && exponent === ''
  if (!Number.isFinite(value) || (isInteger && !Number.isSafeInteger(value))) return undefined
  if (whole === '' && fraction.length < 2) return undefined
  const digits = `${whole}${fraction}`.replace(/[._]/g, '').replace(/^0+/, '').length
  const unit = Number(`1e${Number(exponent.slice(1)) - fraction.replace(/[._]/g, '').length}`)
  return { value, isInteger, digits, unit, suffix }
}

function writeLiteral(value: number, { isInteger, digits, suffix }: Literal): string | undefined {
  if (!Number.isFinite(value)) return undefined
  if (isInteger) {
    const rounded = Math.round(value)
    return Number.isSafeInteger(rounded) ? `${rounded === 0 ? 0 : rounded}${suffix}` : undefined
  }
  const precision = Math.min(MAX_DIGITS, Math.max(3, digits + 1))
  const written = String(Number(value.toPrecision(precision)))
  return `${/[.e]/.test(written) ? written : `${written}.0`}${suffix}`
}

/** One up or down in the last digit written. A float zero starts from a fixed size. */
function step({ value, isInteger, unit }: Literal, rng: Rng): number {
  const sign = rng.int(2) === 0 ? -1 : 1
  if (value === 0 && !isInteger) return sign * (rng.int(2) === 0 ? 0.1 : 0.01)
  return value + sign * unit
}

function signed(rng: Rng, min: number, max: number): number {
  const size = min + rng.unit() * (max - min)
  return rng.int(2) === 0 ? -size : size
}

/** Replaces the number at `span`; undefined if the number drawn does not fit. */
export function spliceNumber(text: string, span: Span, rng: Rng, reach: Reach = 'any'): Splice | undefined {
  const written = perturbLiteral(text.slice(span.start, span.end), rng, reach)
  if (written === undefined) return undefined
  // `a - 2` must not become `a --2`, which is another operator in many languages.
  const afterSign = /[-+]\s*$/.test(text.slice(Math.max(0, span.start - 8), span.start))
  return written.startsWith('-') && afterSign ? undefined : { ...span, text: written }
}

/** True for 0 and 1: mostly first indices, steps and neutral elements, rarely something to tune. */
function isStructural(text: string, { start, end }: Span): boolean {
  return /^[01]$/.test(text.slice(start, end))
}

/** Changes one numeric literal. */
export const tuneNumber: Edit = {
  verb: 'tune',
  noun: 'number',
  propose({ text, numbers }, rng) {
    const weighted = numbers.map((span) => ({ span, weight: isStructural(text, span) ? 1 : 4 }))
    const chosen = pickByWeight(weighted, rng)
    const splice = chosen === undefined ? undefined : spliceNumber(text, chosen.span, rng)
    return splice === undefined ? undefined : { splices: [splice], count: 1 }
  },
}

const MOST = 4

/** Changes two to four neighbouring literals slightly: they often belong together. */
export const tuneNumbers: Edit = {
  verb: 'tune',
  noun: 'number',
  propose({ text, numbers: all }, rng) {
    const numbers = all.filter((span) => !isStructural(text, span))
    if (numbers.length < 2) return undefined
    const wanted = Math.min(numbers.length, 2 + rng.int(MOST - 1))
    const first = rng.int(numbers.length - wanted + 1)
    const splices = numbers
      .slice(first, first + wanted)
      .map((span) => spliceNumber(text, span, rng, 'near'))
      .filter((splice) => splice !== undefined)
    return splices.length === 0 ? undefined : { splices, count: splices.length }
  },
}
