import { parserFor } from '../../agents/grammars.ts'
import { readJavaScript } from './javascript-uses.ts'
import { readPython } from './python-uses.ts'
import type { Source, SourceUse } from './source-uses.ts'

/** The places in a JavaScript, TypeScript or Python file that name other code. Other files have none that we can tell. */
export async function findUses(path: string, text: string): Promise<SourceUse[]> {
  const read = readerFor(path)
  const language = read && (await parserFor(path))
  const tree = language?.parser.parse(text)
  if (!tree || read === undefined) return []
  try {
    return read({ root: tree.rootNode, text, folder: path.replace(/[^/]*$/, '') })
  } finally {
    tree.delete()
  }
}

function readerFor(path: string): ((source: Source) => SourceUse[]) | undefined {
  if (/\.[cm]?[jt]sx?$/.test(path)) return readJavaScript
  return path.endsWith('.py') ? readPython : undefined
}
