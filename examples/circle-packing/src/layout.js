// Where the circles start: on a spiral from the middle of the square outwards.

const TURN = 0.9
const FIRST = 0.05
const STEP = 0.012

export function layout(count) {
  const points = []
  for (let index = 0; index < count; index++) {
    const angle = index * TURN
    const distance = FIRST + index * STEP
    points.push({
      x: 0.5 + distance * Math.cos(angle),
      y: 0.5 + distance * Math.sin(angle),
    })
  }
  return points
}
