import { pick, type Rng } from '../../../src/core/rng.ts'
import type { Task } from '../task.ts'

type Tree =
  | { readonly op: 'x' }
  | { readonly op: 'number'; readonly value: number }
  | { readonly op: '+' | '-' | '*'; readonly left: Tree; readonly right: Tree }
  | { readonly op: 'sin'; readonly left: Tree }

const INPUTS = Array.from({ length: 21 }, (_, index) => -2 + 0.2 * index)
const TARGET = INPUTS.map((x) => x ** 3 - x ** 2 - 2 * x + 1.5 * Math.sin(3 * x) + 1)
const MOST_NODES = 60

/** Deep expression trees that must fit a curve. Progress needs many steps, each on top of the one before. */
export const trees: Task<Tree> = {
  name: 'deep-trees',
  direction: 'maximize',
  noise: 0.01,
  broken: 0.3,
  reference: 0.75,
  root: { op: 'x' },
  measure: (tree) => {
    if (count(tree) > MOST_NODES) return undefined
    const error = INPUTS.reduce((sum, x, index) => sum + (run(tree, x) - (TARGET[index] ?? 0)) ** 2, 0)
    return 1 / (1 + Math.sqrt(error / INPUTS.length))
  },
  mutate: (tree, rng) => replaceAt(tree, rng.int(count(tree)), (part) => altered(part, rng)),
  restructure: (tree, rng) => replaceAt(tree, rng.int(count(tree)), () => grow(3, rng)),
  cross: (tree, { donor }, rng) => {
    const taken = list(donor)[rng.int(count(donor))] ?? donor
    return replaceAt(tree, rng.int(count(tree)), () => taken)
  },
  features: (tree) => {
    const parts = list(tree)
    return ['x', 'number', '+', '-', '*', 'sin'].map(
      (op) => parts.filter((part) => part.op === op).length / 8,
    )
  },
}

function run(tree: Tree, x: number): number {
  switch (tree.op) {
    case 'x':
      return x
    case 'number':
      return tree.value
    case 'sin':
      return Math.sin(run(tree.left, x))
    case '+':
      return run(tree.left, x) + run(tree.right, x)
    case '-':
      return run(tree.left, x) - run(tree.right, x)
    case '*':
      return run(tree.left, x) * run(tree.right, x)
  }
}

function childrenOf(tree: Tree): Tree[] {
  if ('right' in tree) return [tree.left, tree.right]
  return 'left' in tree ? [tree.left] : []
}

function list(tree: Tree): Tree[] {
  return [tree, ...childrenOf(tree).flatMap(list)]
}

function count(tree: Tree): number {
  return 1 + childrenOf(tree).reduce((sum, child) => sum + count(child), 0)
}

// By the position in `list`.
function replaceAt(tree: Tree, index: number, change: (part: Tree) => Tree): Tree {
  if (index === 0) return change(tree)
  if (!('left' in tree)) return tree
  const size = count(tree.left)
  if (index <= size) return { ...tree, left: replaceAt(tree.left, index - 1, change) }
  return 'right' in tree ? { ...tree, right: replaceAt(tree.right, index - 1 - size, change) } : tree
}

function altered(part: Tree, rng: Rng): Tree {
  const luck = rng.unit()
  if (part.op === 'number' && luck < 0.6) return { op: 'number', value: part.value + rng.unit() - 0.5 }
  if (luck < 0.75) return { op: pick(['+', '-', '*'] as const, rng), left: part, right: grow(1, rng) }
  return luck < 0.8 ? { op: 'sin', left: part } : grow(2, rng)
}

function grow(depth: number, rng: Rng): Tree {
  const luck = rng.unit()
  if (depth === 0 || luck < 0.2)
    return luck < 0.1 || rng.unit() < 0.5
      ? { op: 'x' }
      : { op: 'number', value: Math.round(8 * rng.unit() - 4) / 2 }
  if (luck < 0.35) return { op: 'sin', left: grow(depth - 1, rng) }
  return { op: pick(['+', '-', '*'] as const, rng), left: grow(depth - 1, rng), right: grow(depth - 1, rng) }
}
