// Lets circles grow around fixed points, all in turn, each as far as its neighbours and the border allow.

const ROUNDS = 3
const GAIN = 0.5
const GAP = 1e-9

export function grow(points) {
  const circles = points.map((point) => ({ ...point, r: 0 }))
  for (let round = 0; round < ROUNDS; round++) {
    for (const circle of circles) {
      const space = room(circle, circles) - circle.r
      if (space > 0) circle.r += GAIN * space
    }
  }
  return circles
}

// The largest radius the circle can have now.
function room(circle, circles) {
  let most = Math.min(circle.x, circle.y, 1 - circle.x, 1 - circle.y)
  for (const other of circles) {
    if (other === circle) continue
    const distance = Math.hypot(circle.x - other.x, circle.y - other.y)
    most = Math.min(most, distance - other.r)
  }
  return most - GAP
}
