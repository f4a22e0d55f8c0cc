import { isRecord } from './values.ts'

export type Combination = Readonly<Record<string, unknown>>

/** The combinations of a matrix in GitHub's order, with `include` and `exclude` as documented. */
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

// An entry extends every combination whose original values it keeps. An entry that fits none stands alone.
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

/** True when the value equals the wanted one. Objects are compared only in the wanted keys. */
function fits(value: unknown, wanted: unknown): boolean {
  if (isRecord(wanted)) {
    return isRecord(value) && Object.entries(wanted).every(([name, part]) => fits(value[name], part))
  }
  return JSON.stringify(value) === JSON.stringify(wanted) || String(value) === String(wanted)
}

/** The suffix that GitHub adds to a job's name: the values of its combination. */
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
