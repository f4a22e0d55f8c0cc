// Merge sort; short lists are sorted by insertion.
import { SHORT } from './heuristics/sizes.js'

export function sort(list, compare) {
  if (list.length < 2 || list.length <= SHORT) return insert(list, compare)
  const middle = list.length >> 1
  return merge(sort(list.slice(0, middle), compare), sort(list.slice(middle), compare), compare)
}

function insert(list, compare) {
  for (let next = 1; next < list.length; next++) {
    const item = list[next]
    let at = next
    for (; at > 0 && compare(list[at - 1], item) > 0; at--) list[at] = list[at - 1]
    list[at] = item
  }
  return list
}

function merge(left, right, compare) {
  const merged = []
  let at = 0
  for (const item of left) {
    while (at < right.length && compare(right[at], item) < 0) merged.push(right[at++])
    merged.push(item)
  }
  return merged.concat(right.slice(at))
}
