import { parserFor } from '../../grammars.ts'
import { readTokens } from './read-tokens.ts'
import { readTree } from './read-tree.ts'
import type { Source } from './source.ts'

/** Finds what can be edited: by the syntax tree if there is a grammar, else by tokens. */
export async function readSource(path: string, text: string): Promise<Source> {
  const parser = await parserFor(path)
  return parser === undefined ? readTokens(text) : readTree(parser, text)
}
