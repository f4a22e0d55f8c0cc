import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { safeArguments } from './command.ts'
import type { Repository } from './repository.ts'

export interface BackendRequest {
  readonly repository: Repository
  readonly method: string
  /** Below the repository, such as `/info/refs`. */
  readonly path: string
  readonly query: string
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  readonly gitProtocol: string | undefined
  readonly remoteUser: string
  readonly body: Readable
  /** A folder with our own `pre-receive` hook, and the hook's variables. */
  readonly hooks?: { readonly folder: string; readonly environment: Readonly<Record<string, string>> }
}

export interface BackendAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
  /** Settles when git has ended. */
  readonly ended: Promise<void>
}

/** Serves one request of git's smart HTTP protocol from a bare repository, with git's own CGI program. */
export async function runHttpBackend(request: BackendRequest): Promise<BackendAnswer> {
  const { repository } = request
  const hooks = request.hooks === undefined ? [] : ['-c', `core.hooksPath=${request.hooks.folder}`]
  const child = spawn('git', [...safeArguments(hooks), 'http-backend'], {
    env: { ...repository.environment, ...cgiVariables(request), ...request.hooks?.environment },
    cwd: repository.commonDir,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve())
  })
  child.stderr.resume()
  child.stdin.on('error', () => child.stdin.destroy())
  request.body.pipe(child.stdin)
  const head = await readHead(child.stdout, ended)
  return { ...head, body: child.stdout, ended }
}

function cgiVariables(request: BackendRequest): Record<string, string> {
  const optional = (name: string, value: string | undefined): Record<string, string> =>
    value === undefined ? {} : { [name]: value }
  return {
    GIT_PROJECT_ROOT: request.repository.commonDir,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: request.path,
    QUERY_STRING: request.query,
    REQUEST_METHOD: request.method,
    REMOTE_USER: request.remoteUser,
    REMOTE_ADDR: '127.0.0.1',
    ...optional('CONTENT_TYPE', request.contentType),
    ...optional('HTTP_CONTENT_ENCODING', request.contentEncoding),
    ...optional('GIT_PROTOCOL', request.gitProtocol),
  }
}

// The CGI header block ends at the first empty line; the rest of the stream is the body.
async function readHead(
  stream: Readable,
  ended: Promise<void>,
): Promise<{ status: number; headers: Record<string, string> }> {
  let seen = Buffer.alloc(0)
  for (;;) {
    const chunk: unknown = stream.read()
    if (chunk === null) {
      const more = await Promise.race([
        new Promise<true>((resolve) => stream.once('readable', () => resolve(true))),
        ended.then(() => false),
      ])
      if (!more && stream.readableLength === 0) return { status: 500, headers: {} }
      continue
    }
    seen = Buffer.concat([seen, Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))])
    const end = seen.indexOf('\r\n\r\n')
    if (end < 0) continue
    stream.unshift(seen.subarray(end + 4))
    return parseHead(seen.toString('latin1', 0, end))
  }
}

function parseHead(text: string): { status: number; headers: Record<string, string> } {
  const lines = text
    .split('\r\n')
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])
  const headers = Object.fromEntries(lines.map(([name = '', value = '']) => [name.toLowerCase(), value]))
  const { status, ...others } = headers
  return { status: Number.parseInt(status ?? '200', 10), headers: others }
}
