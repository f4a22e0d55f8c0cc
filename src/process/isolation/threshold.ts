import { quoteForShell } from '../quote.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What tells that a command is inside the isolation. */
export const INSIDE = 'loreley: inside\n'
const INSIDE_BYTES = Buffer.from(INSIDE)

/**
 * The last step before an enclosed command, already as its user: a shell that runs the script of `renderThreshold` from
 * stdin, with the command as its arguments. On the command line, every user could read the variables and sudo would log
 * them.
 */
export function atThreshold(path: string): string[] {
  return ['env', '-i', `PATH=${path}`, '/bin/sh', '-c', 'eval "$(cat)"', 'loreley']
}

/** The script that sets the variables, reports that it is inside and becomes the command, which gets no stdin. */
export function renderThreshold(env: Environment, cwd: string): string {
  const variables = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [`export ${name}=${quoteForShell(value)}`],
  )
  return [
    ...variables,
    `printf '%s\\n' ${quoteForShell(INSIDE.trim())}`,
    // Only now: a candidate that deleted its own folder must not look like a broken machine.
    `cd ${quoteForShell(cwd)} || exit 126`,
    'unset PWD OLDPWD',
    'exec "$@" </dev/null',
  ].join('\n')
}

/**
 * Detects whether an enclosed command was ever reached. The threshold reports it on stdout before the command can print
 * anything, so the command can neither fake nor undo it.
 */
export class Doorkeeper {
  #heard = Buffer.alloc(0)
  #isInside = false

  get isInside(): boolean {
    return this.#isInside
  }

  /** The part of a chunk of stdout that the command printed itself. */
  pass(chunk: Buffer): Buffer {
    if (this.#isInside) return chunk
    this.#heard = Buffer.concat([this.#heard, chunk])
    this.#isInside = this.#heard.subarray(0, INSIDE_BYTES.length).equals(INSIDE_BYTES)
    return this.#isInside ? this.#heard.subarray(INSIDE_BYTES.length) : Buffer.alloc(0)
  }
}
