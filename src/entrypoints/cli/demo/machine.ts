import { homedir, tmpdir } from 'node:os'
import { LoreleyError } from '../../../errors.ts'
import { isolateOnRunner } from '../../action/runner-isolation.ts'

/** Why the action could not keep candidate code apart on this machine; undefined when it can. */
export async function findMissingIsolation(place: string): Promise<string | undefined> {
  const machine = {
    place,
    workspace: place,
    home: homedir(),
    temp: tmpdir(),
    toolCache: '',
    path: process.env.PATH ?? '',
  }
  try {
    await isolateOnRunner(machine, { isolation: 'auto', network: 'none' })
    return undefined
  } catch (error) {
    if (error instanceof LoreleyError && error.code === 'isolation-unavailable') return error.message
    throw error
  }
}
