import { posix } from 'node:path'

/** One edit, in words. */
export interface Deed {
  readonly verb: string
  readonly noun: string
  readonly count: number
  /** The candidate it was taken from. */
  readonly from?: number
}

const MAX_LENGTH = 72

/** One line that says what was edited and where, short enough for a commit subject. */
export function renderSummary(deeds: readonly Deed[], paths: readonly string[]): string {
  const [only] = paths
  const where = paths.length === 1 && only !== undefined ? only : `${paths.length} files`
  const what = merge(deeds).map(renderDeed).join(' and ')
  const brief = `make ${deeds.length} edits`
  const wordings = [
    `${what} in ${where}`,
    `${what} in ${posix.basename(where)}`,
    what,
    `${brief} in ${where}`,
    `${brief} in ${posix.basename(where)}`,
  ]
  return wordings.find((wording) => wording.length <= MAX_LENGTH) ?? brief
}

function merge(deeds: readonly Deed[]): Deed[] {
  const merged = new Map<string, Deed>()
  for (const deed of deeds) {
    const key = `${deed.verb} ${deed.noun}`
    merged.set(key, { ...deed, count: (merged.get(key)?.count ?? 0) + deed.count })
  }
  return [...merged.values()]
}

function renderDeed({ verb, noun, count, from }: Deed): string {
  const article = /^[aeiou]/.test(noun) ? 'an' : 'a'
  const what = count > 1 ? `${verb} ${count} ${noun}s` : `${verb} ${article} ${noun}`
  return from === undefined ? what : `${what} from candidate ${from}`
}
