/** How a candidate is made from its parents. */
export const OPERATORS = ['mutate', 'crossover', 'fresh', 'structural', 'repair'] as const
export type Operator = (typeof OPERATORS)[number]

/** How often each operator is drawn, relative to the others. */
export type OperatorWeights = Readonly<Record<Operator, number>>

// Crossover improves on its parent more often than any other operator (see docs/explanation/search.md), but it needs the variety
// that mutation brings. Repair needs a failed candidate, so it is rarer than its weight suggests.
export const OPERATOR_WEIGHTS: OperatorWeights = {
  mutate: 50,
  crossover: 30,
  fresh: 3,
  structural: 12,
  repair: 5,
}

/** What an agent is asked to look at. Warm-up gives each seed a different lens. */
export interface Lens {
  readonly name: string
  readonly ask: string
}

/** The default lenses, in warm-up order. */
export const LENSES: readonly Lens[] = [
  { name: 'algorithm', ask: 'Look for another algorithm: a better complexity, or a known method that fits.' },
  {
    name: 'data-structure',
    ask: 'Look at how data is laid out and looked up, and for a structure that fits.',
  },
  { name: 'caching', ask: 'Look for work that is done again and again: compute it once, reuse it.' },
  {
    name: 'loop-structure',
    ask: 'Look at the hot loops: their order, bounds, early exits, what can move out.',
  },
  { name: 'parallelism', ask: 'Look for work that is independent: overlap it, batch it, pipeline it.' },
  {
    name: 'simplification',
    ask: 'Look for what can go: special cases, layers, steps that change no result.',
  },
  { name: 'inversion', ask: 'Turn an assumption round: the other order, the complement, push for pull.' },
  { name: 'memory', ask: 'Look at allocations, copies and locality: reuse, shrink, avoid.' },
  { name: 'input-output', ask: 'Look at reading, writing, parsing and formatting: fewer, larger, lazier.' },
]

/** What each operator asks of an agent. */
export const OPERATOR_ASKS: Readonly<Record<Operator, string>> = {
  mutate: 'Improve the parent by one focused change.',
  crossover:
    'Combine the parent with the first inspiration: understand what makes each good and synthesise both ideas; do not paste one over the other.',
  fresh: 'Start from the original code and take an approach that none of the known candidates takes.',
  structural:
    'Change the structure: split, merge, extract, inline, parallelise, cache or stratify parts of the code where that serves the goal.',
  repair:
    'An earlier attempt on this parent had a promising idea but failed. Carry out its idea again so that it passes.',
}
