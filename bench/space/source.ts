import { pick, type Rng } from '../../src/core/rng.ts'
import { type Domain, functionName, variableName } from './vocabulary.ts'

/** A function of plausible JavaScript: about so many statements, some of them nested. */
function writeFunction(domain: Domain, rng: Rng, { name, statements }: FunctionOrder): string {
  const parameters = uniqueNames(domain, rng, 1 + rng.int(3))
  return [
    `export function ${name}(${parameters.join(', ')}) {`,
    ...writeBody(domain, rng, { parameters, statements }),
    '}',
  ].join('\n')
}

interface FunctionOrder {
  readonly name: string
  readonly statements: number
}

/** The statements of a function, indented, with a `return` at the end. */
export function writeBody(
  domain: Domain,
  rng: Rng,
  { parameters, statements }: { readonly parameters: readonly string[]; readonly statements: number },
): string[] {
  const known = [...parameters]
  const lines: string[] = []
  for (let written = 0; written < statements; written++) {
    const { declares, text } = writeStatement(domain, rng, known)
    if (declares !== undefined) known.push(declares)
    lines.push(...text.map((line) => `  ${line}`))
  }
  return [...lines, `  return ${pick(known, rng)}`]
}

/** A whole file: imports of others, constants, functions. */
export function writeModule(domain: Domain, rng: Rng, { imports, functions }: ModuleOrder): string {
  const constants = uniqueNames(domain, rng, 1 + rng.int(3)).map(
    (name) => `const ${name.toUpperCase()} = ${writeNumber(rng)}`,
  )
  const names = new Set(Array.from({ length: functions }, () => functionName(domain, rng)))
  const bodies = [...names].map((name) => writeFunction(domain, rng, { name, statements: 3 + rng.int(10) }))
  const head = imports.map(({ name, path }) => `import { ${name} } from '${path}'`)
  const uses = imports.map(({ name }) => `${name}(${pick(constants, rng).split(' ')[1]})`)
  return `${[...head, ...constants, ...uses, ...bodies].join('\n\n')}\n`
}

export interface ModuleOrder {
  readonly imports: readonly { readonly name: string; readonly path: string }[]
  readonly functions: number
}

interface Statement {
  readonly declares?: string
  readonly text: readonly string[]
}

function writeStatement(domain: Domain, rng: Rng, known: readonly string[]): Statement {
  const name = variableName(domain, rng)
  const value = (): string => pick(known, rng)
  switch (rng.int(9)) {
    case 0:
      return {
        declares: name,
        text: [`const ${name} = ${functionName(domain, rng)}(${value()}, ${value()})`],
      }
    case 1:
      return {
        declares: name,
        text: [`const ${name} = ${value()}.map((each) => each.${name} * ${writeNumber(rng)})`],
      }
    case 2:
      return { text: [`if (${value()} > ${writeNumber(rng)}) return ${value()}.${name}`] }
    case 3:
      return {
        text: [
          `for (const ${name} of ${value()}) {`,
          `  if (${name}.${pick(domain.nouns, rng)} === undefined) continue`,
          `  ${functionName(domain, rng)}(${name}, ${value()})`,
          '}',
        ],
      }
    case 4:
      return { declares: name, text: [`let ${name} = Math.max(${value()}, ${writeNumber(rng)})`] }
    case 5:
      return {
        declares: name,
        text: [
          `const ${name} = ${value()}.filter(({ ${pick(domain.nouns, rng)} }) => ${value()} <= ${writeNumber(rng)})`,
        ],
      }
    case 6:
      return {
        text: [
          `while (${value()}.length > ${writeNumber(rng)}) {`,
          `  ${value()}.${pick(domain.verbs, rng)}(${value()}.shift())`,
          '}',
        ],
      }
    case 7:
      return {
        text: [`if (!${value()}) throw new RangeError(\`no ${pick(domain.nouns, rng)} for \${${value()}}\`)`],
      }
    default:
      return {
        declares: name,
        text: [
          `const ${name} = ${value()}.reduce((sum, each) => sum + each.${pick(domain.nouns, rng)}, ${writeNumber(rng)})`,
        ],
      }
  }
}

/** A number as people write them in code. */
export function writeNumber(rng: Rng): string {
  return pick(
    ['0', '1', '2', '8', '10', '16', '60', '100', '0.5', '0.1', '1000', '4096', '1e-6', '3', '7', '25'],
    rng,
  )
}

function uniqueNames(domain: Domain, rng: Rng, count: number): string[] {
  return [...new Set(Array.from({ length: count }, () => variableName(domain, rng)))]
}
