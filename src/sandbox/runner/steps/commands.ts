/** A line by which a step tells the runner something, such as `::warning file=a.js,line=1::Careful`. */
export interface WorkflowCommand {
  readonly name: string
  readonly properties: Readonly<Record<string, string>>
  readonly message: string
}

/** Reads a workflow command; undefined for an ordinary line. */
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
