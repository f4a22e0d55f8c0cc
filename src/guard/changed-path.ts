/**
 * One path of a diff; without `before` it is new, without `after` deleted. Modes as git prints them. `text` is empty for
 * binary files; without the earlier text, checks that compare the two are skipped.
 */
export interface ChangedPath {
  readonly path: string
  readonly before?: { readonly mode: string; readonly blob: string; readonly text?: string } | undefined
  readonly after?:
    | {
        readonly mode: string
        readonly blob: string
        readonly bytes: number
        readonly binary: boolean
        readonly text: string
      }
    | undefined
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The facts about a file's bytes that the guard checks. */
export function describeContent(content: Uint8Array): { bytes: number; binary: boolean; text: string } {
  const binary = content.includes(0)
  return { bytes: content.length, binary, text: binary ? '' : decoder.decode(content) }
}

/** How many lines a change adds that the file did not contain. Linear in the two texts. */
export function countNewLines({ before, after }: ChangedPath): number {
  if (after === undefined || after.text === '') return 0
  const old = new Map<string, number>()
  for (const line of (before?.text ?? '').split('\n')) old.set(line, (old.get(line) ?? 0) + 1)
  let fresh = 0
  for (const line of after.text.replace(/\n$/, '').split('\n')) {
    const left = old.get(line) ?? 0
    if (left > 0) old.set(line, left - 1)
    else fresh++
  }
  return fresh
}
