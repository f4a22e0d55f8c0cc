import type { Descriptor } from '../space/descriptor.ts'

/** A niche's name. It consists of digits and dashes, so it can be part of a branch name. */
export type CellId = string

export const ARCHIVE_KINDS = ['grid', 'cvt'] as const
export type ArchiveKind = (typeof ARCHIVE_KINDS)[number]

/** How behaviour space is divided into cells. Fixed when a campaign starts, and stored with its archive. */
export type ArchiveShape =
  | { readonly kind: 'grid'; readonly sizes: readonly number[] }
  | { readonly kind: 'cvt'; readonly centroids: readonly Descriptor[] }

/** The cells of a shape. */
export interface Cells {
  readonly shape: ArchiveShape
  readonly count: number
  cellOf(descriptor: Descriptor): CellId
  /** The centre of a cell. */
  centreOf(cell: CellId): Descriptor
  /** The distance between two niches in cells; 0 for the same one. */
  distance(a: CellId, b: CellId): number
  /** Negative when `a` comes first in lists. */
  compare(a: CellId, b: CellId): number
}
