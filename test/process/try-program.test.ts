import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tryProgram } from '../../src/process/try-program.ts'
import { aFolder } from '../support/repository.ts'

const env = { PATH: process.env.PATH ?? '' }
const groupOf = (pid: number): string =>
  execFileSync('ps', ['-o', 'pgid=', '-p', `${pid}`])
    .toString()
    .trim()

it('says nothing of a program that did well', async () => {
  expect(await tryProgram(['true'], env)).toBeUndefined()
})

it('gives what a program said when it failed, or how it ended', async () => {
  expect(await tryProgram(['sh', '-c', 'echo no room >&2; exit 3'], env)).toBe('no room')
  expect(await tryProgram(['sh', '-c', 'exit 3'], env)).toBe('it ended with exit code 3')
  expect(await tryProgram(['sh', '-c', 'kill -9 $$'], env)).toBe('it ended with SIGKILL')
  expect(await tryProgram(['no-such-program'], env)).toContain('ENOENT')
})

it('runs a program out of reach of the Ctrl-C that the terminal sends to our group', async () => {
  const group = await tryProgram(['sh', '-c', 'ps -o pgid= -p $$ >&2; exit 1'], env)
  expect(group?.trim()).toMatch(/^\d+$/)
  expect(group?.trim()).not.toBe(groupOf(process.pid))
})

it('runs a program once more that a Ctrl-C has ended before it could leave our group', async () => {
  const mark = join(aFolder(), 'tried')
  const line = `[ -e ${mark} ] || { touch ${mark}; kill -INT $$; }`
  expect(await tryProgram(['sh', '-c', line], env)).toBeUndefined()
  expect(await tryProgram(['sh', '-c', 'kill -INT $$'], env)).toBe('it ended with SIGINT')
})
