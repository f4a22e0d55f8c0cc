const CENTRE_FROM = [
  -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716,
  2.506628277459239,
]
const CENTRE_TO = [
  -54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1,
]
const TAIL_FROM = [
  -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
]
const TAIL_TO = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1]
const TAIL = 0.02425

/**
 * The standard normal quantile of a probability in (0, 1), by Acklam's rational approximation. The relative error is
 * below 1.2e-9.
 */
export function normalQuantile(probability: number): number {
  if (!(probability > 0 && probability < 1)) throw new RangeError('normalQuantile: not inside (0, 1)')
  if (probability > 1 - TAIL) return -normalQuantile(1 - probability)
  if (probability < TAIL) {
    const q = Math.sqrt(-2 * Math.log(probability))
    return polynomial(TAIL_FROM, q) / polynomial(TAIL_TO, q)
  }
  const q = probability - 0.5
  return (polynomial(CENTRE_FROM, q * q) * q) / polynomial(CENTRE_TO, q * q)
}

function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0)
}
