import pc from 'picocolors'

/** Colours a cell of the archive's map: the best bright, the worst dim. Plain where there is no colour. */
export function shade(text: string, standing: number): string {
  if (standing >= 1) return pc.bold(pc.green(text))
  if (standing > 0.66) return pc.green(text)
  return standing > 0.33 ? pc.yellow(text) : pc.dim(text)
}
