import type { Operator } from '../../core/planning/operators.ts'
import type { Brief } from '../agent.ts'
import type { Edit } from './edits/edit.ts'
import { wrapExpression } from './edits/expressions.ts'
import { tuneNumber, tuneNumbers } from './edits/numbers.ts'
import { changeOperator } from './edits/operators.ts'
import { dropStatement, duplicateStatement, moveStatement, swapStatements } from './edits/statements.ts'

/** One kind of edit and how often it is drawn, relative to the others. */
export interface WeightedEdit {
  readonly name: string
  readonly edit: Edit
  readonly weight: number
}

// Based on how often each kind improved a program: copies and numbers most often, removal least.
const KINDS = [
  { name: 'tune-number', edit: tuneNumber, weight: 10 },
  { name: 'tune-numbers', edit: tuneNumbers, weight: 2 },
  { name: 'change-operator', edit: changeOperator, weight: 2 },
  { name: 'wrap-expression', edit: wrapExpression, weight: 4 },
  { name: 'swap-statements', edit: swapStatements, weight: 1 },
  { name: 'duplicate-statement', edit: duplicateStatement, weight: 5 },
  { name: 'move-statement', edit: moveStatement, weight: 1 },
  { name: 'drop-statement', edit: dropStatement, weight: 1 },
] as const satisfies readonly WeightedEdit[]

type EditName = (typeof KINDS)[number]['name']
type Factors = Partial<Record<EditName, number>>

// A lens raises the weights that fit its theme. So seeds with different lenses differ in kind, not only by chance.
const LENS_FACTORS: Readonly<Record<string, Factors>> = {
  algorithm: { 'change-operator': 3, 'wrap-expression': 2, 'move-statement': 2 },
  'data-structure': { 'tune-numbers': 3, 'swap-statements': 2 },
  caching: { 'move-statement': 3, 'swap-statements': 3 },
  'loop-structure': {
    'duplicate-statement': 3,
    'move-statement': 2,
    'swap-statements': 2,
    'tune-number': 1.5,
  },
  parallelism: { 'duplicate-statement': 2, 'swap-statements': 3 },
  simplification: { 'drop-statement': 8, 'duplicate-statement': 0.2, 'wrap-expression': 0.2 },
  inversion: { 'change-operator': 6, 'swap-statements': 3 },
  memory: { 'drop-statement': 3, 'tune-number': 1.5 },
  'input-output': { 'tune-number': 1.5, 'tune-numbers': 2 },
}

// The closest to splitting, merging and reordering for an agent that cannot read. A repair is a new try on the same
// parent, because this agent cannot use a diagnostic.
const OPERATOR_FACTORS: Readonly<Partial<Record<Operator, Factors>>> = {
  structural: {
    'move-statement': 4,
    'swap-statements': 4,
    'duplicate-statement': 2,
    'drop-statement': 2,
    'tune-number': 0.5,
  },
}

/** The kinds of edits and their weights under an operator and a lens. A maintainer's own lens changes no weight. */
export function mixFor({ operator, lens }: Pick<Brief, 'operator' | 'lens'>): WeightedEdit[] {
  const byLens = (lens && LENS_FACTORS[lens.name]) ?? {}
  const byOperator = OPERATOR_FACTORS[operator] ?? {}
  const factor = (name: EditName): number => (byLens[name] ?? 1) * (byOperator[name] ?? 1)
  return KINDS.map(({ name, edit, weight }) => ({ name, edit, weight: weight * factor(name) }))
}
