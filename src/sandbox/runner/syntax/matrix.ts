import { isRecord } from './values.ts'

export type Combination = Readonly<Record<string, unknown>>

/** The combinations of a matrix in GitHub's order; `include` and `exclude` as they are documented. */
export function expandMatrix(matrix: Readonly<Record<string, unknown>>): Combination[] {
  const { include, exclude, ...axes } = matrix
  const product = Object.entries(axes).reduce<Combination[]>(
    (soFar, [name, values]) =>
      soFar.flatMap((one) => asList(values).map((value) => ({ ...one, [name]: value }))),
    Object.keys(axes).length === 0 ? [] : [{}],
  )
  const kept = product.filter((one) => !asCombinations(exclude).some((other) => fits(one, other)))
  return addIncluded(kept, asCombinations(include), new Set(Object.keys(axes)))
}

// An entry goes into every combination of which it changes nothing original; one that fits nowhere stands alone.
function addIncluded(
  originals: readonly Combination[],
  included: readonly Combination[],
  axes: ReadonlySet<string>,
): Combination[] {
  const extended = originals.map((one) => ({ ...one }))
  const alone: Combination[] = []
  for (const entry of included) {
    const onAxes = Object.fromEntries(Object.entries(entry).filter(([name]) => axes.has(name)))
    const matching = originals.flatMap((one, index) => (fits(one, onAxes) ? [index] : []))
    for (const index of matching) Object.assign(extended[index] ?? {}, entry)
    if (matching.length === 0) alone.push({ ...entry })
  }
  return [...extended, ...alone]
}

/** True when all that is asked for is so; objects are compared in the parts that are asked for. */
function fits(value: unknown, wanted: unknown): boolean {
  if (isRecord(wanted)) {
    return isRecord(value) && Object.entries(wanted).every(([name, part]) => fits(value[name], part))
  }
  return JSON.stringify(value) === JSON.stringify(wanted) || String(value) === String(wanted)
}

/** What GitHub adds to the name of a job: the values of its combination. */
export function renderCombination(combination: Combination): string {
  return Object.values(combination).flatMap(leaves).join(', ')
}

function leaves(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(leaves)
  if (isRecord(value)) return Object.values(value).flatMap(leaves)
  return [String(value)]
}

function asList(values: unknown): unknown[] {
  return Array.isArray(values) ? values : [values]
}

function asCombinations(values: unknown): Combination[] {
  return Array.isArray(values) ? values.filter(isRecord) : []
}
