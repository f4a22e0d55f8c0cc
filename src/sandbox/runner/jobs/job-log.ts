import { appendLog } from '../../actions/runs/logs.ts'
import type { Box } from '../../box.ts'
import { type Annotation, annotations } from '../../checks/checks.ts'

/** Values that logs must not show. */
export class Masks {
  readonly #values = new Set<string>()
  #longestFirst: readonly string[] = []

  /** Each line of a multi-line value is masked too, because logs are written by line. */
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

const MAX_ANNOTATIONS = 50
const MAX_MESSAGE_CHARS = 4096

/** A job's log and annotations, with secrets masked. */
export class JobLog {
  readonly masks = new Masks()
  readonly #box: Box
  readonly #jobId: number

  constructor(box: Box, jobId: number) {
    this.#box = box
    this.#jobId = jobId
  }

  write(text: string): void {
    appendLog(this.#box, this.#jobId, this.masks.hide(text))
  }

  error(message: string): void {
    this.write(`##[error]${message}`)
    this.annotate('failure', message, {})
  }

  /** Annotates a line of a file, or the workflow as a whole. */
  annotate(level: string, message: string, at: Readonly<Record<string, string>>): void {
    const known = annotations(this.#box.store).find(this.#jobId) ?? []
    if (known.length >= MAX_ANNOTATIONS) return
    const line = Number(at.line) || 1
    const added: Annotation = {
      path: at.file ?? '.github',
      startLine: line,
      endLine: Number(at.endLine) || line,
      startColumn: Number(at.col) || null,
      endColumn: Number(at.endColumn) || null,
      level,
      title: at.title === undefined ? null : this.masks.hide(at.title),
      message: this.masks.hide(message).slice(0, MAX_MESSAGE_CHARS),
      rawDetails: null,
    }
    annotations(this.#box.store).put(this.#jobId, [...known, added])
  }
}
