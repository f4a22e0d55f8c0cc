/** How a candidate is made from its parents. */
export const OPERATORS = ['mutate', 'crossover', 'fresh'] as const
export type Operator = (typeof OPERATORS)[number]

/** What an agent is asked to look at. Warm-up gives every seed another one, so that seeds differ in kind. */
export const LENSES = [
  'algorithm',
  'data-structure',
  'caching',
  'loop-structure',
  'parallelism',
  'simplification',
  'inversion',
  'memory',
  'input-output',
] as const
export type Lens = (typeof LENSES)[number]
