import type { JobLog } from '../jobs/job-log.ts'
import { parseCommand, type WorkflowCommand } from './commands.ts'
import { Lines } from './lines.ts'

const ANNOTATION_LEVELS: Readonly<Record<string, string>> = {
  error: 'failure',
  warning: 'warning',
  notice: 'notice',
}

// They change how GitHub's own page shows a log.
const IGNORED = new Set(['echo', 'add-matcher', 'remove-matcher'])

/** Reads what a step prints: ordinary lines go to the log, workflow commands are obeyed. */
export class StepOutput {
  /** By `::set-output::`, the old form. */
  readonly outputs = new Map<string, string>()
  /** By `::save-state::`, the old form. */
  readonly state = new Map<string, string>()
  readonly #log: JobLog
  readonly #streams: Readonly<Record<'stdout' | 'stderr', Lines>>
  /** Set while commands are switched off: the word that switches them on again. */
  #resumeWord: string | undefined

  constructor(log: JobLog) {
    this.#log = log
    const onLine = (line: string): void => this.#read(line)
    this.#streams = { stdout: new Lines(onLine), stderr: new Lines(onLine) }
  }

  add(chunk: Buffer, stream: 'stdout' | 'stderr'): void {
    this.#streams[stream].add(chunk)
  }

  end(): void {
    this.#streams.stdout.end()
    this.#streams.stderr.end()
  }

  #read(line: string): void {
    const command = parseCommand(line)
    if (this.#resumeWord !== undefined) {
      // Only the word ends it: whatever else looks like a command comes from code that is not trusted.
      if (command?.name === this.#resumeWord.toLowerCase()) this.#resumeWord = undefined
      else this.#log.write(line)
      return
    }
    if (command === undefined) this.#log.write(line)
    else this.#obey(command, line)
  }

  #obey(command: WorkflowCommand, line: string): void {
    const { name, properties, message } = command
    const level = ANNOTATION_LEVELS[name]
    if (level !== undefined) {
      this.#log.write(`##[${name}]${message}`)
      this.#log.annotate(level, message, properties)
      return
    }
    switch (name) {
      case 'add-mask':
        this.#log.masks.add(message)
        break
      case 'stop-commands':
        this.#resumeWord = message
        break
      case 'group':
      case 'debug':
      case 'endgroup':
        this.#log.write(`##[${name}]${message}`)
        break
      case 'set-output':
        this.outputs.set(properties.name ?? '', message)
        break
      case 'save-state':
        this.state.set(properties.name ?? '', message)
        break
      default:
        if (!IGNORED.has(name)) this.#log.write(line)
    }
  }
}
