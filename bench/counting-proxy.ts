import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** Stands before an API and counts all that passes, by kind: nothing that is sent can be forgotten. */
export interface CountingProxy {
  readonly url: string
  /** Requests under way. */
  readonly inFlight: number
  /** Since the last time it was asked: how often each kind came. */
  takeCounts(): Map<string, number>
  close(): Promise<void>
}

/** What a request is called in the counts. Names and numbers in paths say nothing of its kind. */
function kindOf(method: string, url: string, body: Buffer): string {
  const path = url.replace(/\?.*$/, '').replace(/^\/api\/(v3\/?)?/, '/')
  if (path === '/graphql') {
    const query = String(JSON.parse(body.toString()).query)
    const fields = new Set(query.match(/\w+(?=\(input:)/g))
    return /^\s*mutation/.test(query) ? `MUTATION ${[...fields].join(', ')}` : 'QUERY'
  }
  return `${method} ${path
    .replace(/^\/repos\/[^/]+\/[^/]+/, '')
    .replace(/(?<=\/git\/(refs?|matching-refs)\/).*/, '*')
    .replace(/(?<=\/contents\/).*/, '*')
    .replaceAll(/\/([0-9a-f]{40}|\d+)(?=\/|$)/g, '/*')}`
}

/** Whether a kind changes something: what GitHub's secondary limits are about. */
export function isMutation(kind: string): boolean {
  // Minting a token changes nothing in a repository, and has a limit of its own.
  return !/^(GET|QUERY)/.test(kind) && !kind.endsWith('/access_tokens')
}

export async function startCountingProxy(target: string): Promise<CountingProxy> {
  const agent = new Agent({ keepAlive: true })
  const { hostname, port } = new URL(target)
  let counts = new Map<string, number>()
  let inFlight = 0
  const pass = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    inFlight += 1
    response.on('close', () => {
      inFlight -= 1
    })
    const body = await buffer(incoming)
    const { method = '', url: path = '', headers } = incoming
    // Links to files lead to storage on GitHub, which is no API; they pass here so that nobody thinks us idle.
    if (path.startsWith('/api/')) {
      const kind = kindOf(method, path, body)
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
    }
    const sent = request({ hostname, port, method, path, headers, agent }, (answer) => {
      const location = answer.headers.location?.replace(`:${port}/`, `:${ownPort}/`)
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...(location && { location }) })
      answer.pipe(response)
    })
    sent.on('error', () => response.destroy())
    sent.end(body)
  }
  let ownPort = 0
  const server = createServer((incoming, response) => void pass(incoming, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  ownPort = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: target.replace(`:${port}`, `:${ownPort}`),
    get inFlight() {
      return inFlight
    },
    takeCounts: () => {
      const taken = counts
      counts = new Map()
      return taken
    },
    close: async () => {
      agent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
