/** A range of a text, in UTF-16 units. The end is excluded. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** One or more whole lines that can be moved together. The line break after them is not part of the span. */
export interface Statement extends Span {
  /** `declaration`: a copy would declare a name twice. `jump`: the rest of the block is unreachable. */
  readonly kind: 'plain' | 'declaration' | 'jump'
}

/** The parts of a text that edits may change. All lists are in text order. */
export interface Source {
  readonly text: string
  /** Decimal literals, without a sign. */
  readonly numbers: readonly Span[]
  /** Binary and assignment operators that have a counterpart. */
  readonly operators: readonly Span[]
  /** Operands of arithmetic: expressions that are likely to be numbers. */
  readonly expressions: readonly Span[]
  /** Statements that are siblings. */
  readonly blocks: readonly (readonly Statement[])[]
  /** True when integers and floats do not mix in the language. */
  readonly strictNumbers: boolean
  /** True when the text does not parse. */
  readonly broken: boolean
}
