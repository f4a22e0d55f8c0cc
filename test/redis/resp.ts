import { connect, type Socket } from 'node:net'

/** What Redis answers. */
export type Reply = string | number | null | RedisFault | readonly Reply[]

/** An error reply; it is data here, to be passed on. */
export class RedisFault {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

interface Parsed {
  readonly reply: Reply
  readonly end: number
}

/** One connection to a redis-server, which answers in the order in which it is asked. */
export class RespConnection {
  readonly #socket: Socket
  readonly #waiting: ((reply: Reply) => void)[] = []
  #buffer = Buffer.alloc(0)

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.on('data', (chunk: Buffer) => this.#take(chunk))
    // Whoever asked is told: nobody waits for a server that is gone.
    this.#socket.on('error', () => this.#fail())
    this.#socket.on('close', () => this.#fail())
  }

  async send(command: readonly unknown[]): Promise<Reply> {
    const parts = command.map((part) => {
      const text = typeof part === 'string' ? part : JSON.stringify(part)
      return `$${Buffer.byteLength(text)}\r\n${text}\r\n`
    })
    return await new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.#socket.write(`*${parts.length}\r\n${parts.join('')}`)
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #fail(): void {
    for (const resolve of this.#waiting.splice(0)) resolve(new RedisFault('ERR the connection is gone'))
  }

  #take(chunk: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, chunk])
    for (;;) {
      const parsed = parse(this.#buffer, 0)
      if (parsed === undefined) return
      this.#buffer = this.#buffer.subarray(parsed.end)
      this.#waiting.shift()?.(parsed.reply)
    }
  }
}

/** The reply that begins there; undefined while some of it is under way. */
function parse(buffer: Buffer, start: number): Parsed | undefined {
  const lineEnd = buffer.indexOf('\r\n', start)
  if (lineEnd < 0) return undefined
  const line = buffer.toString('utf8', start + 1, lineEnd)
  const end = lineEnd + 2
  switch (buffer.toString('latin1', start, start + 1)) {
    case '+':
      return { reply: line, end }
    case '-':
      return { reply: new RedisFault(line), end }
    case ':':
      return { reply: Number(line), end }
    case '$':
      return parseText(buffer, end, Number(line))
    default:
      return parseList(buffer, end, Number(line))
  }
}

function parseText(buffer: Buffer, start: number, length: number): Parsed | undefined {
  if (length < 0) return { reply: null, end: start }
  const end = start + length + 2
  return buffer.length < end ? undefined : { reply: buffer.toString('utf8', start, start + length), end }
}

function parseList(buffer: Buffer, start: number, length: number): Parsed | undefined {
  if (length < 0) return { reply: null, end: start }
  const replies: Reply[] = []
  let end = start
  for (let index = 0; index < length; index++) {
    const parsed = parse(buffer, end)
    if (parsed === undefined) return undefined
    replies.push(parsed.reply)
    end = parsed.end
  }
  return { reply: replies, end }
}
