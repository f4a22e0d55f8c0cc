import { transcriptPath } from './layout.ts'

/** Transcripts for the state branch: written with the next commit, then dropped from memory. */
export class Transcripts {
  readonly #waiting = new Map<string, string>()
  #rendered: readonly string[] = []

  add(ordinal: number, text: string | undefined): void {
    if (text !== undefined && text !== '') this.#waiting.set(transcriptPath(ordinal), text)
  }

  /** The pending transcripts, by path below the campaign's folder. */
  render(): ReadonlyMap<string, string> {
    this.#rendered = [...this.#waiting.keys()]
    return new Map(this.#waiting)
  }

  /** Call this after that commit. */
  committed(): void {
    for (const path of this.#rendered) this.#waiting.delete(path)
  }
}
