import { tokenise } from './tokens.ts'

const MOST_TERMS = 6
// Words of programming languages. They change with every edit and say nothing about its topic.
const LANGUAGE_WORDS = new Set(
  (
    'and array as async await bool boolean break case catch char class const continue def default delete do double ' +
    'elif else end enum export extends false final finally float fn for from func function goto if impl implements ' +
    'import in include instanceof int interface is lambda length let list long map math mod module mut namespace new ' +
    'nil none not null number object of or package pass private protected pub public raise require return self set ' +
    'short static str string struct super switch then this throw true try type typeof undefined union unsigned use ' +
    'using val var void while with yield'
  ).split(' '),
)

/** How often each part of a name occurs in a text. Parts of one or two letters are left out. */
function countTerms(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const token of tokenise(text)) {
    for (const part of token.kind === 'word' ? token.parts : []) {
      if (part.length > 2 && !LANGUAGE_WORDS.has(part)) counts.set(part, (counts.get(part) ?? 0) + 1)
    }
  }
  return counts
}

/** The terms whose frequency changed most, largest change first. Ties are in alphabetical order. */
export function findChangedTerms(changes: readonly { before: string; after: string }[]): string[] {
  const totals = new Map<string, number>()
  for (const { before, after } of changes) {
    for (const [sign, text] of [
      [-1, before],
      [1, after],
    ] as const) {
      for (const [term, count] of countTerms(text)) totals.set(term, (totals.get(term) ?? 0) + sign * count)
    }
  }
  return [...totals]
    .filter(([, total]) => total !== 0)
    .sort(([a, x], [b, y]) => Math.abs(y) - Math.abs(x) || (a < b ? -1 : 1))
    .slice(0, MOST_TERMS)
    .map(([term]) => term)
}
