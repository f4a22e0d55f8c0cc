/** A number for people: at most six significant digits, no trailing zeros. */
export function renderNumber(value: number): string {
  if (!Number.isFinite(value)) return `${value}`
  const rounded = Number(value.toPrecision(6))
  return Math.abs(rounded) >= 1e9 || (rounded !== 0 && Math.abs(rounded) < 1e-4)
    ? rounded.toExponential()
    : `${rounded}`
}

/** A count with its noun: 1 niche, 2 niches. */
export function renderCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A share as a signed percentage: 0.123 → +12.3 %. */
export function renderGain(gain: number | undefined): string {
  if (gain === undefined) return 'n/a'
  const percent = gain * 100
  const digits = Math.abs(percent) < 10 ? 2 : 1
  return `${percent >= 0 ? '+' : '−'}${Math.abs(percent).toFixed(digits)} %`
}
