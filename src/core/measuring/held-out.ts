import { median } from 'simple-statistics'
import { pairUp, type Sample } from './measurement.ts'
import { type Objective, orientedPrimary } from './objective.ts'
import { signedRankInterval } from './stats/signed-rank.ts'

/** A candidate's relative gain over the root on held-out inputs (`gain`) and on the shown inputs (`shown`). */
export interface HeldOut {
  readonly gain: number
  readonly shown: number
  /** The gains are in the metric's unit, because the root gave 0 on some inputs. */
  readonly absolute?: true | undefined
  /** The upper bound of `gain`; undefined in lines of older versions. */
  readonly most?: number | undefined
}

// The chance that the true gain exceeds its upper bound.
const ALPHA = 0.05

/** The figures of the candidate and the root on the shown inputs. */
export interface Shown {
  readonly candidate: number
  readonly root: number
}

/** Computes the gain on held-out inputs; undefined without held-out runs. */
export function readHeldOut(
  samples: readonly Sample[],
  objective: Objective,
  { candidate, root: base }: Shown,
): HeldOut | undefined {
  const { scale, differences } = pairUp(samples, objective.metric, 'held-out')
  if (differences.length === 0) return undefined
  const root = samples.filter(({ subject, stage }) => subject === 'root' && stage === 'held-out')
  const size = Math.abs(median(root.map(({ metrics }) => metrics[objective.metric] ?? Number.NaN)))
  const isAbsolute = base === 0 || size === 0
  const gainOf = (difference: number, unit: number): number =>
    orientedPrimary([difference / (isAbsolute ? 1 : unit)], [objective])
  const gainAt = (difference: number): number =>
    gainOf(scale === 'ratio' ? size * Math.expm1(difference) : difference, size)
  const { estimate, low, high } = signedRankInterval(differences, ALPHA)
  const gain = gainAt(estimate)
  const most = Math.max(gainAt(low), gainAt(high))
  const shown = gainOf(candidate - base, Math.abs(base))
  if (![gain, most, shown].every(Number.isFinite)) return undefined
  return { gain, shown, most, ...(isAbsolute && { absolute: true }) }
}

// A smaller gain on other inputs is normal. If less than a quarter remains, the change was fitted to the shown inputs.
const VANISHED = 0.25

/** Whether the gain on shown inputs is missing on held-out inputs beyond the noise. */
export function isOverfitted({ gain, shown, most = gain }: HeldOut): boolean {
  return shown > 0 && most < VANISHED * shown
}
