/** One word of a shell command, as far as splitting can tell. */
export interface CommandWord {
  readonly word: string
  /** The words before it in the same simple command, the nearest last. */
  readonly before: readonly string[]
}

// Ways to say "this folder", or the trusted copy of it.
const HERE =
  /\$\{(?:LORELEY_TRUSTED|PWD|GITHUB_WORKSPACE)(?::?[-=+?][^}]*)?\}|\$(?:LORELEY_TRUSTED|PWD|GITHUB_WORKSPACE)\b|\$\(\s*(?:pwd|git rev-parse --show-toplevel)\s*\)|`pwd`/g
const QUOTED = /"((?:\\.|[^"\\])*)"|'([^']*)'/g

/**
 * The words of a command line. This does not imitate a shell: quoted parts are read as part of the adjacent word, as commands
 * (`sh -c "…"`), and as one word, so that the shell's reading is among them.
 */
export function readCommandWords(line: string): CommandWord[] {
  const unquoted = line.replaceAll('"$(', '$(').replaceAll(HERE, '.')
  const whole = [...unquoted.matchAll(QUOTED)].map((match) => ({
    word: match[1] ?? match[2] ?? '',
    before: [],
  }))
  return [...split(unquoted.replaceAll(/["']/g, '')), ...split(unquoted.replaceAll(/["']/g, ' ')), ...whole]
}

function split(line: string): CommandWord[] {
  return line.split(/[;|&()`\n]+/).flatMap((command) => {
    const words = command.split(/[\s<>=,:]+/).filter(Boolean)
    return words.map((word, index) => ({ word, before: words.slice(0, index) }))
  })
}

/** A normalized path from the root; undefined if it leads outside. */
export function normalizePath(path: string): string | undefined {
  const names: string[] = []
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue
    if (name !== '..') names.push(name)
    else if (names.pop() === undefined) return undefined
  }
  return names.join('/')
}
