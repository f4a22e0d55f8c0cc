import { chmodSync, chownSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { aFolder } from '../support/repository.ts'
import { bundleProgram, runProgram } from './bundled-program.ts'
import { isRoot } from './enclosed-run.ts'

// Root may do anything. An ordinary user meets the limits that hostile code can set.
const USER = isRoot ? 65_533 : undefined
let program = ''

beforeAll(async () => {
  program = await bundleProgram(
    `import { removeFolder } from '../../src/process/disk/remove-folder.ts'
import * as fs from 'node:fs'`,
    `async ({ place, attack }) => {
      fs.mkdirSync(place)
      process.chdir(place)
      new Function('fs', attack)(fs)
      process.chdir('/')
      const failures = []
      await removeFolder(place).catch((error) => failures.push(error.message))
      return { failures }
    }`,
  )
})

const NEST = `for (let depth = 0; depth < 3000; depth++) { fs.mkdirSync('d'); process.chdir('d') }`

it.each([
  ['3,000 nested folders', NEST],
  [
    'folders without permissions',
    `fs.mkdirSync('a/b/c', { recursive: true }); fs.chmodSync('a/b', 0); fs.chmodSync('a', 0)`,
  ],
  ['a folder that is itself closed', `fs.mkdirSync('a'); fs.chmodSync('.', 0)`],
  [
    'read-only folders with files',
    `fs.mkdirSync('a'); fs.writeFileSync('a/b', ''); fs.chmodSync('a', 0o555)`,
  ],
  [
    'nested folders, the deepest without permissions',
    `${NEST}; fs.mkdirSync('closed/in', { recursive: true }); fs.chmodSync('closed', 0)`,
  ],
  [
    'names with line feeds and a leading dash',
    `for (const name of ['a\\nb', '-rf', '--', ' ']) { fs.mkdirSync(name); fs.writeFileSync(name + '/-x\\n', '') }`,
  ],
  [
    'names that are not UTF-8',
    `fs.mkdirSync(Buffer.from([0x66, 0xff])); fs.writeFileSync(Buffer.from([0x66, 0xff, 0x2f, 0xfe]), '')`,
  ],
  ['10,000 files', `for (let index = 0; index < 10000; index++) fs.writeFileSync('f' + index, '')`],
  [
    'links out of the folder',
    `fs.symlinkSync('/', 'root'); fs.symlinkSync('loop', 'loop'); fs.chmodSync('.', 0o555)`,
  ],
])('removes %s as an ordinary user', async (_name, attack) => {
  const parent = aFolder()
  chmodSync(parent, 0o755)
  if (USER !== undefined) chownSync(parent, USER, USER)
  const place = join(parent, 'work')
  const { failures } = await runProgram(program, { place, attack }, USER === undefined ? {} : { uid: USER })
  expect(failures).toEqual([])
  expect(existsSync(place)).toBe(false)
})

it('a link in place of the folder is removed, and its target is not', async () => {
  const parent = aFolder()
  const attack = `fs.writeFileSync('kept', ''); fs.renameSync('../work', '../kept'); fs.symlinkSync('kept', '../work')`
  const { failures } = await runProgram(program, { place: join(parent, 'work'), attack })
  expect(failures).toEqual([])
  expect(existsSync(join(parent, 'work'))).toBe(false)
  expect(existsSync(join(parent, 'kept/kept'))).toBe(true)
})
