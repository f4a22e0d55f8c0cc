/** Values that no log may show. */
export class Masks {
  readonly #values = new Set<string>()
  #longestFirst: readonly string[] = []

  /** A text of several lines is masked line by line too, because logs are written so. */
  add(value: string): void {
    for (const part of [value, ...value.split(/\r?\n/)]) {
      if (part.trim() !== '') this.#values.add(part)
    }
    this.#longestFirst = [...this.#values].sort((a, b) => b.length - a.length)
  }

  hide(text: string): string {
    return this.#longestFirst.reduce((hidden, value) => hidden.replaceAll(value, '***'), text)
  }
}
