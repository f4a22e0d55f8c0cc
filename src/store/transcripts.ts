import { transcriptPath } from './layout.ts'

/** Transcripts on their way to the state branch: they go with the next commit, then leave the memory. */
export class Transcripts {
  readonly #waiting = new Map<string, string>()
  #rendered: readonly string[] = []

  add(ordinal: number, text: string | undefined): void {
    if (text !== undefined && text !== '') this.#waiting.set(transcriptPath(ordinal), text)
  }

  /** What the commit that is being made takes along, by path below the campaign's folder. */
  render(): ReadonlyMap<string, string> {
    this.#rendered = [...this.#waiting.keys()]
    return new Map(this.#waiting)
  }

  /** Called when that commit was made. */
  committed(): void {
    for (const path of this.#rendered) this.#waiting.delete(path)
  }
}
