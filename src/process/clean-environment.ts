/** What a clean environment is made from. */
export interface CleanEnvironmentOptions {
  readonly path: string
  readonly home: string
  readonly temp: string
  /** Added last: what the maintainer configured wins. */
  readonly extra?: Readonly<Record<string, string>>
}

/**
 * The environment candidate code gets. Nothing is inherited, so that no key or token of ours is in reach and
 * a result depends on no setting of the machine. LC_ALL is left out: with nothing inherited LANG decides.
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
