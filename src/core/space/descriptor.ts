import type { Metrics } from '../measuring/objective.ts'

/** A candidate's position in behaviour space: one number in [0, 1] per axis. */
export type Descriptor = readonly number[]

/** How a candidate's tree differs from the campaign's root, counted in lines. */
export interface ChangeStats {
  readonly files: number
  readonly linesAdded: number
  readonly linesRemoved: number
}

export const CHANGE_AXES = ['churn', 'growth', 'spread'] as const
export type ChangeAxis = (typeof CHANGE_AXES)[number]

/** What positions a candidate on learned axes: its difference from the root, the whole repository, or metrics only. */
export const DESCRIPTOR_MODES = ['delta', 'repo_state', 'metrics'] as const
export type DescriptorMode = (typeof DESCRIPTOR_MODES)[number]

/** An axis: learned from the candidates, a declared metric between two bounds, or a statistic of the change. */
export type Axis =
  | { readonly kind: 'learned' }
  | { readonly kind: 'metric'; readonly metric: string; readonly min: number; readonly max: number }
  | { readonly kind: 'change'; readonly change: ChangeAxis }

export type DescriptorResult =
  | { readonly status: 'valid'; readonly descriptor: Descriptor }
  | {
      readonly status: 'refused'
      readonly reason: 'metric-missing' | 'metric-not-finite'
      readonly metric: string
    }

/** What positions a candidate; `learned` is its position on the learned axes. */
export interface Observed {
  readonly metrics: Metrics
  readonly change: ChangeStats
  readonly learned: readonly number[]
}

/** Computes a candidate's descriptor. Values beyond the bounds of an axis go to its edge. */
export function describe(axes: readonly Axis[], { metrics, change, learned }: Observed): DescriptorResult {
  const descriptor: number[] = []
  const left = [...learned]
  for (const axis of axes) {
    if (axis.kind === 'learned') {
      descriptor.push(clampToUnit(left.shift() ?? 0.5))
      continue
    }
    if (axis.kind === 'change') {
      descriptor.push(clampToUnit(changePosition(axis.change, change)))
      continue
    }
    const measured = Object.hasOwn(metrics, axis.metric) ? metrics[axis.metric] : undefined
    if (measured === undefined) return { status: 'refused', reason: 'metric-missing', metric: axis.metric }
    if (!Number.isFinite(measured))
      return { status: 'refused', reason: 'metric-not-finite', metric: axis.metric }
    descriptor.push(clampToUnit((measured - axis.min) / (axis.max - axis.min)))
  }
  return { status: 'valid', descriptor }
}

// Logarithmic scales, because most changes touch a few lines and some a few hundred. Beyond 256 lines, 64 lines of growth
// either way, or 16 files, all changes count as large.
function changePosition(axis: ChangeAxis, change: ChangeStats): number {
  switch (axis) {
    case 'churn':
      return Math.log2(1 + change.linesAdded + change.linesRemoved) / 8
    case 'growth': {
      const net = change.linesAdded - change.linesRemoved
      return 0.5 + (Math.sign(net) * Math.log2(1 + Math.abs(net))) / 12
    }
    case 'spread':
      return Math.log2(1 + change.files) / 4
  }
}

function clampToUnit(position: number): number {
  return Math.min(1, Math.max(0, position))
}
