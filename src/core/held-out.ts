import { median } from 'simple-statistics'
import { pairUp, type Sample } from './measurement.ts'
import { type Objective, orientedPrimary } from './objective.ts'

/** How much better than the root a candidate is, as shares: on inputs that no agent has seen, and on those it was chosen for. */
export interface HeldOut {
  readonly gain: number
  readonly shown: number
}

/** Reads the held-out runs beside the gain on the shown inputs; undefined where there were none. */
export function readHeldOut(
  samples: readonly Sample[],
  objective: Objective,
  shown: number | undefined,
): HeldOut | undefined {
  const { scale, differences } = pairUp(samples, objective.metric, 'held-out')
  if (differences.length === 0 || shown === undefined) return undefined
  const root = samples.filter(({ subject, stage }) => subject === 'root' && stage === 'held-out')
  const size = Math.abs(median(root.map(({ metrics }) => metrics[objective.metric] ?? Number.NaN)))
  const middle = median([...differences])
  const share = scale === 'ratio' ? Math.expm1(middle) : middle / size
  const gain = orientedPrimary([share], [objective])
  return Number.isFinite(gain) ? { gain, shown } : undefined
}

// A gain that is smaller on other inputs is nothing unusual; one of which less than a quarter is left was for the inputs.
const VANISHED = 0.25

/** Whether a true gain on the shown inputs is not there on others. */
export function isOverfitted({ gain, shown }: HeldOut): boolean {
  return shown > 0 && gain < VANISHED * shown
}
