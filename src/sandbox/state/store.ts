import { Journal, type JournalLine } from './journal.ts'

/** Rows of one kind by key, in the order they were first added. */
export interface Table<Row> {
  find(key: string | number): Row | undefined
  put(key: string | number, row: Row): Row
  remove(key: string | number): void
  all(): Row[]
}

/** All tables of a sandbox. Rows are plain JSON and immutable: put a new one to change it. */
export class Store {
  readonly #journal: Journal
  readonly #tables = new Map<string, Map<string, unknown>>()

  constructor(folder: string) {
    this.#journal = new Journal(folder)
    for (const { table, key, value } of this.#journal.load()) {
      if (value === undefined) this.rows(table).delete(key)
      else this.rows(table).set(key, value)
    }
    this.#compact()
  }

  rows(table: string): Map<string, unknown> {
    const rows = this.#tables.get(table) ?? new Map<string, unknown>()
    this.#tables.set(table, rows)
    return rows
  }

  put(table: string, key: string, value: unknown): void {
    this.rows(table).set(key, value)
    this.#journal.append({ table, key, value })
    if (this.#journal.isFull()) this.#compact()
  }

  remove(table: string, key: string): void {
    if (!this.rows(table).delete(key)) return
    this.#journal.append({ table, key })
  }

  /** The next number of a sequence, from 1. */
  next(sequence: string): number {
    const number = this.last(sequence) + 1
    this.put('sequences', sequence, number)
    return number
  }

  /** The last number of a sequence. 0 before the first. */
  last(sequence: string): number {
    return Number(this.rows('sequences').get(sequence) ?? 0)
  }

  #compact(): void {
    this.#journal.rewrite(this.#lines())
  }

  *#lines(): Iterable<JournalLine> {
    for (const [table, rows] of this.#tables) {
      for (const [key, value] of rows) yield { table, key, value }
    }
  }
}

/**
 * Declares a table: `const labels = defineTable<Label>('labels')`, then `labels(box.store).find(key)`. Each
 * resource declares its own, beside its type.
 */
export function defineTable<Row>(name: string): (store: Store) => Table<Row> {
  return (store) => ({
    find: (key) => parseRow<Row | undefined>(store.rows(name).get(String(key))),
    put: (key, row) => {
      store.put(name, String(key), row)
      return row
    },
    remove: (key) => store.remove(name, String(key)),
    all: () => [...store.rows(name).values()].map((row) => parseRow<Row>(row)),
  })
}

// The sandbox trusts its own file: rows were typed when they were stored.
function parseRow<Row>(row: unknown): Row {
  return row as Row
}
