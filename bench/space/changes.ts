import { pick, type Rng } from '../../src/core/rng.ts'
import type { Edits } from './repository.ts'
import { writeBody, writeModule, writeNumber } from './source.ts'
import { DOMAINS, type Domain, functionName, variableName } from './vocabulary.ts'

export const KINDS = ['one-liner', 'rewrite', 'refactor', 'new-module'] as const
export type Kind = (typeof KINDS)[number]

/** The files that a change starts from, and where in them it is made. */
export interface Ground {
  readonly read: (path: string) => string | undefined
  /** Where changes are made; never empty. */
  readonly paths: readonly string[]
  /** What new code is about; undefined: what its surroundings are about. */
  readonly domain?: Domain | undefined
}

/** One change of a kind, as an agent might make it: the new texts of the files that it touches. */
export function makeChange(kind: Kind, ground: Ground, rng: Rng): Edits {
  switch (kind) {
    case 'one-liner':
      return editLines(ground, rng)
    case 'rewrite':
      return rewriteFunctions(ground, rng)
    case 'refactor':
      return renameAcross(ground, rng)
    case 'new-module':
      return addModule(ground, rng)
  }
}

const NUMBER = /\b\d[\w.]*\b/g
const COMPARISON = / (?:<=|>=|<|>|===|!==) /g

/** Another number or another comparison in one line, seldom in three. */
function editLines(ground: Ground, rng: Rng): Edits {
  const path = pick(ground.paths, rng)
  let text = ground.read(path) ?? ''
  const edits = rng.int(4) === 0 ? 3 : 1
  for (let edit = 0; edit < edits; edit++) {
    const places = [...text.matchAll(rng.int(3) === 0 ? COMPARISON : NUMBER)]
    const place = places[rng.int(Math.max(1, places.length))]
    if (place === undefined) continue
    const [found] = place
    const other = found.startsWith(' ') ? pick([' < ', ' <= ', ' >= ', ' !== '], rng) : writeNumber(rng)
    text = text.slice(0, place.index) + other + text.slice(place.index + found.length)
  }
  return new Map([[path, text]])
}

const FUNCTION = /^(?:export )?(?:async )?function (\w+)\(([^)]*)\) \{\n[\s\S]*?\n\}/gm

/** Other bodies for one to three functions of a file. */
function rewriteFunctions(ground: Ground, rng: Rng): Edits {
  const path = pick(ground.paths, rng)
  const domain = domainOf(ground, path)
  const text = ground.read(path) ?? ''
  const found = [...text.matchAll(FUNCTION)]
  const first = rng.int(Math.max(1, found.length))
  const chosen = new Set(found.slice(first, first + 1 + rng.int(3)).map(({ index }) => index))
  const rewritten = text.replaceAll(FUNCTION, (whole: string, name: string, list: string, at: number) => {
    if (!chosen.has(at)) return whole
    const parameters = list
      .split(',')
      .map((each) => each.trim().replace(/\W.*/, ''))
      .filter(Boolean)
    const known = parameters.length > 0 ? parameters : [variableName(domain, rng)]
    const body = writeBody(domain, rng, { parameters: known, statements: 4 + rng.int(12) })
    return `export function ${name}(${list}) {\n${body.join('\n')}\n}`
  })
  return new Map([
    [
      path,
      rewritten === text ? `${text}\n${writeModule(domain, rng, { imports: [], functions: 1 })}` : rewritten,
    ],
  ])
}

const MOST_FILES = 10

/** A name that several files share becomes another one, and gets one more argument where it is called. */
function renameAcross(ground: Ground, rng: Rng): Edits {
  const start = pick(ground.paths, rng)
  const domain = domainOf(ground, start)
  const names = [...(ground.read(start) ?? '').matchAll(/\b[a-z]\w*[A-Z]\w*(?=\()/g)].map(([name]) => name)
  const old = names.length > 0 ? pick(names, rng) : 'main'
  const renamed = `${functionName(domain, rng)}In`
  const extra = variableName(domain, rng)
  const folder = start.slice(0, start.lastIndexOf('/') + 1)
  const near = ground.paths.filter((path) => path.startsWith(folder)).slice(0, 4 * MOST_FILES)
  const edits = new Map<string, string>()
  for (const path of [start, ...near]) {
    const text = ground.read(path) ?? ''
    const changed = text
      .replaceAll(new RegExp(`\\b${old}\\(`, 'g'), `${renamed}(${extra}, `)
      .replaceAll(new RegExp(`\\b${old}\\b`, 'g'), renamed)
    if (changed !== text && edits.size < MOST_FILES) edits.set(path, changed)
  }
  return spread(edits, { ground, near, rng, line: `import { ${renamed} } from './shared-${extra}.js'` })
}

// A refactoring touches several files, also where a name is used in one only: the others then import it.
function spread(
  edits: Map<string, string>,
  { ground, near, rng, line }: { ground: Ground; near: readonly string[]; rng: Rng; line: string },
): Edits {
  const wanted = 2 + rng.int(MOST_FILES - 2)
  for (let tries = 0; tries < 4 * wanted && edits.size < Math.min(wanted, near.length); tries++) {
    const path = pick(near, rng)
    if (!edits.has(path)) edits.set(path, `${line}\n${ground.read(path) ?? ''}`)
  }
  return edits
}

/** A new file of one to seven functions, and its import in an old one. */
function addModule(ground: Ground, rng: Rng): Edits {
  const user = pick(ground.paths, rng)
  const domain = ground.domain ?? (rng.int(3) === 0 ? pick(DOMAINS, rng) : domainOf(ground, user))
  const name = functionName(domain, rng)
  const folder = user.slice(0, user.lastIndexOf('/') + 1)
  const path = `${folder}${name}${rng.int(1000)}.js`
  const text = writeModule(domain, rng, { imports: [], functions: 1 + rng.int(7) })
  const [, main = name] = /export function (\w+)/.exec(text) ?? []
  const used = `import { ${main} } from './${path.slice(folder.length)}'\n${ground.read(user) ?? ''}\n${main}()\n`
  return new Map([
    [path, text],
    [user, used],
  ])
}

function domainOf(ground: Ground, path: string): Domain {
  if (ground.domain !== undefined) return ground.domain
  const words = `${path} ${ground.read(path) ?? ''}`
  const uses = DOMAINS.map((domain) => domain.nouns.filter((noun) => words.includes(noun)).length)
  return DOMAINS[uses.indexOf(Math.max(...uses))] ?? pick(DOMAINS, { int: () => 0, unit: () => 0 })
}
