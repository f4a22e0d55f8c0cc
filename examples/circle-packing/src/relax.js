// Moves points that are close to each other apart, a little in each round.

const ROUNDS = 12
const REACH = 0.1
const STRENGTH = 0.05
const MARGIN = 0.04

export function relax(points) {
  for (let round = 0; round < ROUNDS; round++) {
    for (const point of points) {
      const push = pushOn(point, points)
      point.x += STRENGTH * push.x
      point.y += STRENGTH * push.y
      point.x = Math.min(1 - MARGIN, Math.max(MARGIN, point.x))
      point.y = Math.min(1 - MARGIN, Math.max(MARGIN, point.y))
    }
  }
  return points
}

function pushOn(point, points) {
  const push = { x: 0, y: 0 }
  for (const other of points) {
    const dx = point.x - other.x
    const dy = point.y - other.y
    const distance = Math.hypot(dx, dy)
    if (distance === 0 || distance > REACH) continue
    const strength = (REACH - distance) / distance
    push.x += strength * dx
    push.y += strength * dy
  }
  return push
}
