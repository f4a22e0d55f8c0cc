import type { LedgerEntry } from '../../src/core/campaign/ledger.ts'
import { fitBounds, positionOf } from '../../src/core/space/bounds.ts'
import { decodeVector } from '../../src/core/space/embedding.ts'
import { fitAxes } from '../../src/core/space/fit-axes.ts'
import { rawScores } from '../../src/core/space/projection.ts'
import { rounded } from '../bench.ts'
import { classify, shareOf } from './classify.ts'

/** A difference from the root, as its direction and its length. */
interface Difference {
  readonly direction: Float64Array
  readonly length: number
}

// How the product writes the length (src/embedding/delta.ts), read backwards.
const WEIGHT = 0.5
const SCALE = 10

const log = (length: number): number => Math.log2(1 + SCALE * length)

/** What a difference could be described by. The first is the product's. */
const FORMS: Readonly<Record<string, (difference: Difference) => number[]>> = {
  'direction and 0.5 log length': ({ direction, length }) => [...direction, 0.5 * log(length)],
  'direction and 0.25 log length': ({ direction, length }) => [...direction, 0.25 * log(length)],
  'direction and 1 log length': ({ direction, length }) => [...direction, log(length)],
  'direction alone': ({ direction }) => [...direction],
  'plain difference': ({ direction, length }) => [...direction.map((value) => value * length)],
  'direction times log length': ({ direction, length }) => [...direction.map((value) => value * log(length))],
  'direction times root of length': ({ direction, length }) => [
    ...direction.map((value) => value * Math.sqrt(length)),
  ],
}

export interface FormRow {
  readonly form: string
  readonly kind_accuracy: number
  readonly fill: number
}

/** How well each form tells kinds apart and fills 64 cells, with axes and bounds fitted on all the candidates. */
export function compareForms(entries: readonly LedgerEntry[], kinds: readonly string[]): FormRow[] {
  const differences = entries.map(({ embedding }) => readDifference(decodeVector(embedding?.vector ?? '')))
  return Object.entries(FORMS).map(([form, write]) => {
    const rows = differences.map((difference) => Float64Array.from(write(difference)))
    const fitted = fitAxes(rows, 2)
    if (fitted === undefined) return { form, kind_accuracy: 0, fill: 0 }
    const scores = rows.map((row) => rawScores(fitted.axes, fitted.mean, row))
    const bounds = fitBounds(scores)
    const positions = scores.map((score) => positionOf(bounds, score))
    const cells = new Set(positions.map((row) => row.map((at) => Math.min(7, Math.floor(8 * at))).join()))
    return {
      form,
      kind_accuracy: rounded(shareOf(classify(positions, kinds)), 3),
      fill: rounded(cells.size / 64),
    }
  })
}

function readDifference(vector: Float64Array | undefined): Difference {
  if (vector === undefined) throw new RangeError('compareForms: a candidate has no vector')
  const magnitude = vector.at(-1) ?? 0
  return { direction: vector.subarray(0, -1), length: (2 ** (magnitude / WEIGHT) - 1) / SCALE }
}
