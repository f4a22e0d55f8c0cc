// Decides whether numbers are a packing. Doubles are rationals: in units of 2^-1074, the smallest double, each
// is an integer, so that every comparison below is exact and rounding can neither admit nor refuse a packing.

const ONE = toExact(1)

// Text from the candidate → circles as [x, y, r], or an error that says what is wrong.
export function assertPacking(text, count) {
  const circles = parseCircles(text)
  if (circles.length !== count) throw new Error(`expected ${count} circles, got ${circles.length}`)
  circles.forEach(assertNumbers)
  const exact = circles.map((circle) => circle.map(toExact))
  exact.forEach(assertInside)
  for (const [index, circle] of exact.entries()) {
    for (let other = 0; other < index; other++) assertApart(circle, exact[other], `${other} and ${index}`)
  }
  return circles
}

function parseCircles(text) {
  let value
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Error('the program handed over no packing', { cause: error })
  }
  if (!Array.isArray(value)) throw new Error('expected a list of circles')
  return value
}

function assertNumbers(circle, index) {
  if (!Array.isArray(circle) || circle.length !== 3 || !circle.every(Number.isFinite))
    throw new Error(`circle ${index} is not three finite numbers [x, y, r]`)
  if (!(circle[2] > 0)) throw new Error(`circle ${index} has a radius of ${circle[2]}`)
}

function assertInside([x, y, r], index) {
  const inside = x >= r && y >= r && x + r <= ONE && y + r <= ONE
  if (!inside) throw new Error(`circle ${index} crosses the border`)
}

function assertApart([x, y, r], [otherX, otherY, otherR], names) {
  const dx = x - otherX
  const dy = y - otherY
  const reach = r + otherR
  if (dx * dx + dy * dy < reach * reach) throw new Error(`circles ${names} overlap`)
}

function toExact(number) {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, number)
  const bits = view.getBigUint64(0)
  const exponent = (bits >> 52n) & 0x7ffn
  const fraction = bits & 0xfffffffffffffn
  const size = exponent === 0n ? fraction : (fraction | 0x10000000000000n) << (exponent - 1n)
  return number < 0 ? -size : size
}
