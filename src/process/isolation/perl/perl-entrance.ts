import { accessSync, constants, realpathSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { CANDIDATE_USER, MAX_PROCESSES } from '../enclosure.ts'
import { type EnclosureView, MAX_FILE_BYTES } from '../entrance.ts'
import type { EnclosedCommand, IsolatedLevel, StartedCommand } from '../isolation.ts'
import { findLayers, findSight, type Layer } from '../layers.ts'
import { INSIDE } from '../threshold.ts'
import { READER, renderEnclosureScript } from './enclosure-script.ts'
import { hasSystemCalls, renderFilter } from './system-calls.ts'

/** Perl, if it is on the PATH and can make system calls on this machine. Debian and Ubuntu always have it. */
export function findPerl(path: string): string | undefined {
  if (!hasSystemCalls) return undefined
  const places = path.split(':').filter((folder) => isAbsolute(folder))
  return places.map((folder) => join(folder, 'perl')).find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** What a Perl entrance is made for. */
export interface PerlEntrance {
  readonly perl: string
  /** The prefix of privileged commands. */
  readonly rank: readonly string[]
  readonly level: IsolatedLevel
  readonly path: string
}

/** The command as one Perl process starts it. On a command line every user could read the variables. */
export function throughPerl(
  { perl, rank, level, path }: PerlEntrance,
  view: EnclosureView,
  { argv, cwd, env, layer }: EnclosedCommand,
): StartedCommand {
  const task: [string, string][] = [
    ['level', level],
    ['user', view.user],
    ['network', view.network],
    ['uid', String(CANDIDATE_USER)],
    ['processes', String(MAX_PROCESSES)],
    ['file_bytes', String(MAX_FILE_BYTES)],
    ['filter', renderFilter(level === 'namespace' ? 'keyrings' : 'keyrings-and-ipc')],
    ['greeting', INSIDE],
    ['cwd', cwd],
    ...(level === 'namespace' ? renderView(view) : []),
    ...(layer === undefined ? [] : Object.entries(layer)),
    ...argv.map((each): [string, string] => ['argument', each]),
    ...Object.entries(env).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [['env', `${name}=${value}`]],
    ),
  ]
  const text = task.map(([key, value]) => `${key}\0${value}\0`).join('')
  return {
    argv: [...rank, perl, '-e', READER],
    cwd: '/',
    env: { PATH: path },
    stdin: frame(renderEnclosureScript()) + frame(text),
    holdsStdin: true,
  }
}

function renderView(view: EnclosureView): [string, string][] {
  const sight = findSight(view.hidden, [view.own, ...view.readOnly])
  return [
    ['own', realpathSync(view.own)],
    ...sight.shown.map(({ real }): [string, string] => ['shown', real]),
    ...findLayers(sight).map((layer): [string, string] => ['layer', renderLayer(layer)]),
  ]
}

function renderLayer({ path, shown, isFolder }: Layer): string {
  if (shown !== undefined) return `s${shown}${path}`
  return `${isFolder ? 'd' : 'f'}${path}`
}

function frame(text: string): string {
  return String(Buffer.byteLength(text)).padStart(10, '0') + text
}
