import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** What Loreley reads from the host's environment. */
export interface HostEnvironment {
  readonly cacheFolder: string
  readonly path: string
  readonly home: string
}

/** The only place that reads settings from the process's environment. An empty variable counts as unset. */
export function readEnvironment(env: EnvironmentVariables = process.env): HostEnvironment {
  const home = env.HOME || homedir()
  return { cacheFolder: cacheFolder(env, home), path: env.PATH ?? '', home }
}

function cacheFolder(env: EnvironmentVariables, home: string): string {
  if (env.LORELEY_CACHE) return resolve(env.LORELEY_CACHE)
  const xdg = env.XDG_CACHE_HOME
  // The XDG specification says to ignore a relative folder.
  return xdg && isAbsolute(xdg) ? join(xdg, 'loreley') : join(home, '.cache', 'loreley')
}

/** The named variables that are set: what `evaluation.environment` passes to commands. */
export function pickEnvironment(
  names: readonly string[],
  env: EnvironmentVariables = process.env,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = Object.hasOwn(env, name) ? env[name] : undefined
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
}
