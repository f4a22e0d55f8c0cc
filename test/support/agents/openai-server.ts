import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the server was asked, as far as tests look at it. */
export interface Asked {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: {
    readonly model: string
    readonly messages: readonly { readonly role: string; readonly content: string }[]
    readonly tools?: readonly { readonly function: { readonly name: string } }[]
    readonly max_completion_tokens?: number
  }
}

interface Call {
  readonly name: string
  /** An object is sent as JSON, a text as it is. */
  readonly arguments: unknown
}

/** One turn of the script. */
export type Turn =
  | {
      readonly text?: string
      readonly calls?: readonly Call[]
      readonly refusal?: string
      /** Tokens in and out; left out when `false`, as some servers do. */
      readonly usage?: readonly [input: number, output: number, cached?: number] | false
    }
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly code?: string
      readonly message?: string
    }
  | { readonly fault: 'hang' | 'cut' | 'silent-stream' | 'reset' }

export interface ScriptedServer {
  readonly url: string
  readonly asked: readonly Asked[]
  close(): Promise<void>
}

/**
 * An OpenAI-compatible server that says what its script says, turn by turn, streamed over real HTTP. After the
 * script's end its last turn is repeated. A function decides by what was asked.
 */
export async function startOpenAiServer(
  script: readonly Turn[] | ((asked: Asked, turn: number) => Turn),
): Promise<ScriptedServer> {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const now = parseAsked(request, Buffer.concat(chunks).toString('utf8'))
    const index = asked.push(now) - 1
    const turn = typeof script === 'function' ? script(now, index) : (script[index] ?? script.at(-1))
    if (turn !== undefined) play(turn, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = parseAddress(server.address())
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function play(turn: Turn, response: ServerResponse): void {
  if ('fault' in turn) {
    misbehave(turn.fault, response)
    return
  }
  if ('status' in turn) {
    const error = { message: turn.message ?? 'no', code: turn.code ?? null, type: 'error' }
    response.writeHead(turn.status, { 'content-type': 'application/json', ...turn.headers })
    response.end(JSON.stringify({ error }))
    return
  }
  begin(response)
  if (turn.refusal !== undefined) send(response, { refusal: turn.refusal })
  // In two pieces, as a real stream would come.
  const text = turn.text ?? ''
  const half = text.length >> 1
  for (const content of [text.slice(0, half), text.slice(half)])
    if (content !== '') send(response, { content })
  for (const [index, call] of (turn.calls ?? []).entries()) sendCall(response, index, call)
  send(response, {}, turn.calls === undefined ? 'stop' : 'tool_calls')
  if (turn.usage !== false) {
    const [input, output, cached = 0] = turn.usage ?? [100, 10]
    const details = { prompt_tokens_details: { cached_tokens: cached } }
    event(response, {
      choices: [],
      usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output, ...details },
    })
  }
  response.end('data: [DONE]\n\n')
}

function misbehave(fault: 'hang' | 'cut' | 'silent-stream' | 'reset', response: ServerResponse): void {
  if (fault === 'hang') return
  if (fault === 'reset') {
    response.destroy()
    return
  }
  begin(response)
  send(response, { content: 'I will now' })
  if (fault === 'cut') response.end()
}

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
}

function sendCall(response: ServerResponse, index: number, call: Call): void {
  const json = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)
  const half = json.length >> 1
  const head = { index, id: `call_${index}`, type: 'function' }
  send(response, { tool_calls: [{ ...head, function: { name: call.name, arguments: json.slice(0, half) } }] })
  send(response, { tool_calls: [{ index, function: { arguments: json.slice(half) } }] })
}

function send(response: ServerResponse, delta: object, finish_reason: string | null = null): void {
  event(response, { choices: [{ index: 0, delta, finish_reason }] })
}

function event(response: ServerResponse, chunk: object): void {
  const whole = { id: 'c', object: 'chat.completion.chunk', created: 0, model: 'scripted', ...chunk }
  response.write(`data: ${JSON.stringify(whole)}\n\n`)
}

function parseAsked({ url = '', headers }: IncomingMessage, body: string): Asked {
  return { path: url, headers, body: JSON.parse(body) as Asked['body'] }
}

function parseAddress(address: unknown): AddressInfo {
  return address as AddressInfo
}
