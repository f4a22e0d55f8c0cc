import { quoteForShell } from '../quote.ts'

type Environment = Readonly<Record<string, string | undefined>>

const INSIDE = Buffer.from('loreley: inside\n')

/**
 * What runs last before an enclosed command, as its user already: a shell that does what `renderThreshold` says on
 * stdin, with the command as its arguments. On the command line every user of the machine could read the variables, and
 * sudo would write them to the system's log.
 */
export function atThreshold(path: string): string[] {
  return ['env', '-i', `PATH=${path}`, '/bin/sh', '-c', 'eval "$(cat)"', 'loreley']
}

/** The script that sets the variables, says that it is inside, and becomes the command, which gets no stdin. */
export function renderThreshold(env: Environment, cwd: string): string {
  const variables = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [`export ${name}=${quoteForShell(value)}`],
  )
  return [
    ...variables,
    `printf '%s\\n' ${quoteForShell(INSIDE.toString().trim())}`,
    // Only now: a candidate that has removed its own folder must not pass for a machine that broke.
    `cd ${quoteForShell(cwd)} || exit 126`,
    'unset PWD OLDPWD',
    'exec "$@" </dev/null',
  ].join('\n')
}

/**
 * Tells whether an enclosed command was ever reached. The threshold says so on stdout before the command can say or do
 * anything: so none can claim it, nor make it unsaid.
 */
export class Doorkeeper {
  #heard = Buffer.alloc(0)
  #isInside = false

  get isInside(): boolean {
    return this.#isInside
  }

  /** What of a piece of stdout the command said itself. */
  pass(chunk: Buffer): Buffer {
    if (this.#isInside) return chunk
    this.#heard = Buffer.concat([this.#heard, chunk])
    this.#isInside = this.#heard.subarray(0, INSIDE.length).equals(INSIDE)
    return this.#isInside ? this.#heard.subarray(INSIDE.length) : Buffer.alloc(0)
  }
}
