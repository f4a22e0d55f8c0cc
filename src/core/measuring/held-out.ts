import { median } from 'simple-statistics'
import { pairUp, type Sample } from './measurement.ts'
import { type Objective, orientedPrimary } from './objective.ts'
import { signedRankInterval } from './stats/signed-rank.ts'

/** How much better than the root a candidate is, as shares: on inputs that no agent has seen, and on those it was chosen for. */
export interface HeldOut {
  readonly gain: number
  readonly shown: number
  /** In the metric's own unit instead: the root gave 0 on some inputs, of which nothing is a share. */
  readonly absolute?: true | undefined
  /** What the first may be at the most; undefined in lines from before it was kept. */
  readonly most?: number | undefined
}

// How often a true gain may lie above what is called its most.
const ALPHA = 0.05

/** What a candidate and the root gave on the inputs that agents know. */
export interface Shown {
  readonly candidate: number
  readonly root: number
}

/** Reads the held-out runs beside the gain on the shown inputs; undefined where there were none. */
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

// A gain that is smaller on other inputs is nothing unusual; one of which less than a quarter is left was for the inputs.
const VANISHED = 0.25

/** Whether a true gain on the shown inputs is surely not there on others: noise alone must not look like it. */
export function isOverfitted({ gain, shown, most = gain }: HeldOut): boolean {
  return shown > 0 && most < VANISHED * shown
}
