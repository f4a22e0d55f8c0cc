/** What a clean environment is made from. */
export interface CleanEnvironmentOptions {
  readonly path: string
  readonly home: string
  readonly temp: string
  /** Added last: the maintainer's variables win. */
  readonly extra?: Readonly<Record<string, string>>
}

/**
 * The environment of candidate code. Nothing is inherited, so no key or token is in reach and results do not depend on the
 * machine's settings. LC_ALL is not needed: with nothing inherited, LANG decides.
 */
export function createCleanEnvironment(options: CleanEnvironmentOptions): Record<string, string> {
  return {
    PATH: options.path,
    HOME: options.home,
    TMPDIR: options.temp,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    CI: 'true',
    NO_COLOR: '1',
    ...options.extra,
  }
}
