import picomatch from 'picomatch'

/** Which artifacts of a run are wanted. */
export type Choice =
  | { readonly kind: 'all' }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  | { readonly kind: 'pattern'; readonly pattern: string }

interface Named {
  readonly id: number
  readonly name: string
}

/** Those that are wanted; one that was asked for by name or id and is not there is a fault. */
export function chooseArtifacts<Item extends Named>(all: readonly Item[], choice: Choice): readonly Item[] {
  switch (choice.kind) {
    case 'all':
      return all
    case 'name':
      return [all.find(({ name }) => name === choice.name) ?? missing(choice.name)]
    case 'ids':
      return choice.ids.map((wanted) => all.find(({ id }) => String(id) === wanted) ?? missing(wanted))
    case 'pattern': {
      const isMatch = picomatch(choice.pattern)
      return all.filter(({ name }) => isMatch(name))
    }
  }
}

function missing(wanted: string): never {
  throw new Error(`The run has no artifact "${wanted}", or it has expired.`)
}
