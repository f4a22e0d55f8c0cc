import pc from 'picocolors'

/** Colours a cell of the archive's map by rank: the best bright, the worst dim. */
export function shade(text: string, rank: number): string {
  if (rank >= 1) return pc.bold(pc.green(text))
  if (rank > 0.66) return pc.green(text)
  return rank > 0.33 ? pc.yellow(text) : pc.dim(text)
}
