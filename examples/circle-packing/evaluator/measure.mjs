// The metrics of a valid packing.

export function measure(circles) {
  const radii = circles.map(([, , r]) => r)
  return {
    sum_radii: radii.reduce((total, r) => total + r, 0),
    // 1 when all circles are equal, near 0 when some are tiny.
    evenness: Math.min(...radii) / Math.max(...radii),
    // How far the centres are from the middle of the square, on average.
    outwardness: circles.reduce((total, [x, y]) => total + Math.hypot(x - 0.5, y - 0.5), 0) / circles.length,
  }
}
