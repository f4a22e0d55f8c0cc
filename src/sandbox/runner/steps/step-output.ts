import { StringDecoder } from 'node:string_decoder'
import type { JobLog } from '../jobs/job-log.ts'

const ANNOTATION_LEVELS: Readonly<Record<string, string>> = {
  error: 'failure',
  warning: 'warning',
  notice: 'notice',
}

// These only affect how GitHub's own page shows a log.
const IGNORED = new Set(['echo', 'add-matcher', 'remove-matcher'])

/** Processes what a step prints: logs ordinary lines and executes workflow commands. */
export class StepOutput {
  /** From the old command `::set-output::`. */
  readonly outputs = new Map<string, string>()
  /** From the old command `::save-state::`. */
  readonly state = new Map<string, string>()
  readonly #log: JobLog
  readonly #streams: Readonly<Record<'stdout' | 'stderr', Lines>>
  /** Set while commands are stopped: the token that resumes them. */
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
      // Only the token resumes commands. Anything else that looks like one may come from untrusted code.
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

// Caps the memory that an endless line can use.
const MAX_LINE_CHARS = 64 * 1024

/** Splits a stream into lines. */
export class Lines {
  readonly #decoder = new StringDecoder('utf8')
  readonly #onLine: (line: string) => void
  #rest = ''

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine
  }

  add(chunk: Buffer): void {
    const parts = (this.#rest + this.#decoder.write(chunk)).split('\n')
    this.#rest = parts.pop() ?? ''
    for (const part of parts) this.#onLine(part.replace(/\r$/, ''))
    if (this.#rest.length > MAX_LINE_CHARS) this.end()
  }

  /** Flushes a last line without a line feed. */
  end(): void {
    if (this.#rest !== '') this.#onLine(this.#rest)
    this.#rest = ''
  }
}

/** A command that a step prints for the runner, such as `::warning file=a.js,line=1::Careful`. */
export interface WorkflowCommand {
  readonly name: string
  readonly properties: Readonly<Record<string, string>>
  readonly message: string
}

/** Parses a workflow command. Undefined for an ordinary line. */
export function parseCommand(line: string): WorkflowCommand | undefined {
  const [, name, rest = '', message = ''] =
    /^\s*::([a-zA-Z-]+)(?: ([^:]*(?::(?!:)[^:]*)*))?::(.*)$/.exec(line) ?? []
  if (name === undefined) return undefined
  const pairs = rest
    .split(',')
    .filter((pair) => pair.includes('='))
    .map((pair) => [pair.slice(0, pair.indexOf('=')).trim(), pair.slice(pair.indexOf('=') + 1)] as const)
  const properties = Object.fromEntries(pairs.map(([key, value]) => [key, unescapeProperty(value)]))
  return { name: name.toLowerCase(), properties, message: unescapeMessage(message) }
}

function unescapeMessage(text: string): string {
  return text.replaceAll(/%0D/gi, '\r').replaceAll(/%0A/gi, '\n').replaceAll('%25', '%')
}

function unescapeProperty(text: string): string {
  return unescapeMessage(text.replaceAll(/%3A/gi, ':').replaceAll(/%2C/gi, ','))
}
